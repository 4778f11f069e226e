//! Attention in Rust, a guest of attention/forward, that is a variant of a bench that another plugin defines.
//! `gpubench list --contract attention/forward` prints what a variant must compute. To make it yours: 1. write every
//! element of o in `run`; 2. let `supports` return GB_SKIP for cases that it cannot run; 3. name the variant. Put work
//! that is done once into a `prepare`. For another kernel, add another gb_variant and attach it, too.
use gpubench::*;

const D_MOST: usize = 256;

fn supports(case: Case) -> Outcome {
    if case.str("dtype") != "fp32" {
        fail!(GB_SKIP, "fp32 only");
    }
    case.within("d", 1, D_MOST as i64)
}

/// Computes the output for one query. Keeps a running maximum and sum over the keys, so that no score is stored.
fn attend(q: &[f32], keys: &[f32], values: &[f32], o: &mut [f32]) {
    let (d, scale) = (q.len(), 1.0 / (q.len() as f32).sqrt());
    let (mut sums, mut top, mut sum) = ([0.0f32; D_MOST], f32::NEG_INFINITY, 0.0);
    for (k, v) in keys.chunks_exact(d).zip(values.chunks_exact(d)) {
        let score = scale * q.iter().zip(k).map(|(q, k)| q * k).sum::<f32>();
        let now = score.max(top);
        let (old, weight) = ((top - now).exp(), (score - now).exp());
        sum = sum * old + weight;
        for (total, v) in sums.iter_mut().zip(v) {
            *total = *total * old + weight * v;
        }
        top = now;
    }
    for (o, total) in o.iter_mut().zip(sums) {
        *o = total / sum;
    }
}

fn run(case: Case) -> Outcome {
    let (s, d, causal) = (case.size("s"), case.size("d"), case.str("causal") == "yes");
    let group = case.size("h") / case.size("h_kv"); // heads that share keys and values
    let [q, k, v] = ["q", "k", "v"].map(|name| case.data::<f32>(name));
    let o = case.data_mut::<f32>("o");
    for (row, (q, o)) in q.chunks_exact(d).zip(o.chunks_exact_mut(d)).enumerate() {
        let (head, query) = (row / s / group * s * d, row % s);
        let keys = head..head + d * if causal { query + 1 } else { s };
        attend(q, &k[keys.clone()], &v[keys], o);
    }
    Ok(())
}

static VARIANT: gb_variant = gb_variant {
    name: c!("online"), backend: c!("cpu"), math: c!("native"), contract_minor: 3, supports: slot(supports), run: slot(run),
    ..gb_variant::NEW
};

fn open(registry: &Registry) -> Outcome {
    registry.attach("gpubench.org/attention/forward/1", &VARIANT)
}

plugin!("myattention", "0.1.0", open);
