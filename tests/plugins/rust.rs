//! Tests the wrappers of the SDK's gpubench.rs: two variants that are right, and one for each way to fail. A mark
//! `// at NAME` is on the line that the row of variant NAME must report.

use gpubench::*;
use std::thread;

fn setup(case: Case) -> Outcome<usize> {
    let n = case.i64("n");
    let tensor = gb_tensor { dtype: GB_DTYPE_F32, rank: 1, shape: &n, fill: GB_FILL_NORMAL, fill_b: 1.0, ..gb_tensor::NEW };
    case.declare(&gb_tensor { name: c!("x"), role: GB_IN, ..tensor })?;
    case.declare(&gb_tensor { name: c!("y"), role: GB_OUT, ..tensor })?;
    Ok(n as usize)
}

fn reference(case: Case, n: &mut usize) -> Outcome {
    let mut x = vec![0.0; *n];
    case.input("x", 0, &mut x)?;
    case.expect("y", 0, &x)
}

fn scoped(case: Case) -> Outcome {
    let (x, y) = (case.data::<f32>("x"), case.data_mut::<f32>("y"));
    thread::scope(|scope| {
        for (x, y) in x.chunks(1000).zip(y.chunks_mut(1000)) {
            scope.spawn(move || y.copy_from_slice(x));
        }
    });
    Ok(())
}

struct Plan(Vec<f32>);

fn prepare(case: Case) -> Outcome<Plan> {
    case.note("threads", format_args!("{} of {}", case.threads(1), 1))?;
    ok(unsafe { (gb().graph.node)(case.raw(), &gb_graph_node { kind: GB_NODE_HOST, id: c!("copy"), ..gb_graph_node::NEW }) })?;
    Ok(Plan(vec![0.0; case.size("n")]))
}

fn planned(case: Case, plan: &mut Plan) -> Outcome {
    plan.0.copy_from_slice(case.data("x"));
    case.data_mut("y").copy_from_slice(&plan.0);
    Ok(())
}

fn index(case: Case) -> Outcome {
    let y = case.data_mut::<f32>("y");
    y[y.len()] = 0.0; // at index
    Ok(())
}

fn in_thread(_: Case) -> Outcome {
    thread::scope(|scope| {
        scope.spawn(|| panic!("of {}", "a thread")); // at in_thread
    });
    Ok(())
}

fn name(case: Case) -> Outcome {
    case.data_mut::<f32>("no-such-tensor")[0] = 0.0;
    Ok(())
}

fn long_name(case: Case) -> Outcome {
    case.data::<f32>("one-that-is-longer-than-all-names-are-allowed-to-be-by-the-rules-of-the-host"); // at long_name
    Ok(())
}

fn element(case: Case) -> Outcome {
    case.data_mut::<f64>("y")[0] = 0.0; // at element
    Ok(())
}

fn error(_: Case) -> Outcome {
    "twelve".parse::<u32>()?;
    Ok(())
}

fn few(case: Case) -> Outcome {
    case.within("n", 1, 16)
}

fn not_here(case: Case) -> Outcome {
    fail!(GB_SKIP, "n is {}, and I am {}", case.i64("n"), "not here");
}

/// The case n = 3001 came with minor 1, and 3002 makes the function panic.
fn minor_of(case: Case) -> u32 {
    assert!(case.i64("n") != 3002, "n is {}", case.i64("n"));
    (case.i64("n") == 3001) as u32
}

static N: gb_axis = gb_axis { type_: GB_I64, name: c!("n"), values: c!("1k"), ..gb_axis::NEW };
static SMALL: gb_preset = gb_preset { name: c!("small"), point: c!("n=3000"), backends: c!("cpu"), ..gb_preset::NEW };
const CPU: gb_variant = gb_variant { backend: c!("cpu"), math: c!("fp32"), ..gb_variant::NEW };
static SCOPED: gb_variant = gb_variant { name: c!("scoped"), run: slot(scoped), flags: GB_VARIANT_BASELINE, ..CPU };
static PLANNED: gb_variant =
    gb_variant { name: c!("planned"), prepare: slot(prepare), run: slot(planned), release: freed(), ..CPU };
static INDEX: gb_variant = gb_variant { name: c!("index"), run: slot(index), ..CPU };
static IN_THREAD: gb_variant = gb_variant { name: c!("in_thread"), run: slot(in_thread), ..CPU };
static NAME: gb_variant = gb_variant { name: c!("name"), run: slot(name), ..CPU };
static LONG_NAME: gb_variant = gb_variant { name: c!("long_name"), run: slot(long_name), ..CPU };
static ELEMENT: gb_variant = gb_variant { name: c!("element"), run: slot(element), ..CPU };
static ERROR: gb_variant = gb_variant { name: c!("error"), run: slot(error), ..CPU };
static STATE: gb_variant = gb_variant { name: c!("state"), run: slot(planned), ..CPU };
static FEW: gb_variant = gb_variant { name: c!("few"), supports: slot(few), run: slot(index), ..CPU };
static NOT_HERE: gb_variant = gb_variant { name: c!("not_here"), prepare: slot(not_here), run: slot(index), ..CPU };
static BENCH: gb_bench = gb_bench {
    name: c!("copy"), contract: c!("example.org/rust/copy/1"), axes: list![N], presets: list![SMALL],
    variants: list![SCOPED, PLANNED, INDEX, IN_THREAD, NAME, LONG_NAME, ELEMENT, ERROR, STATE, FEW, NOT_HERE],
    contract_minor: 1, minor_of: slot(minor_of), setup: slot(setup), reference: slot(reference), teardown: freed(), ..gb_bench::NEW
};
static GUEST: gb_variant = gb_variant { name: c!("guest"), run: slot(scoped), ..CPU };
static LATER: gb_variant = gb_variant { name: c!("later"), run: slot(scoped), contract_minor: 1, ..CPU };

fn open(registry: &Registry) -> Outcome {
    registry.add(&BENCH)?;
    registry.attach("example.org/rust/copy/1", &GUEST)?;
    registry.attach("example.org/rust/copy/1", &LATER)
}

plugin!("rust", "0.1.0", open);
