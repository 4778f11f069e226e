/* The report's style sheet. It only refines: without it the page is whole and readable. */
#ifndef HTML_STYLE_H
#define HTML_STYLE_H

/* In pieces, as C99 promises only 4095 characters a literal. */
static const char *const STYLE[] = {
    /* colours: a test computes their contrasts */
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1a1f26;--soft:#555e69;--line:#d9dee4;--panel:#f5f7f9;"
    "--blue:#07599b;--orange:#9c4200;--bad:#a3260f;--badbg:#fdf1ee;--good:#07599b;--win:#eaf3fb}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#0e1217;--fg:#e4e9ef;--soft:#9aa5b1;--line:#2b333c;--panel:#161c23;"
    "--blue:#74b9f2;--orange:#f0a05c;--bad:#ff9a80;--badbg:#2a1814;--good:#74b9f2;--win:#13283a}}\n"
    "@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--soft:#444;--line:#bbb;--panel:#fff;--blue:#07599b;"
    "--orange:#9c4200;--bad:#a3260f;--badbg:#fff;--good:#07599b;--win:#fff}}\n",
    /* text */
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:84rem;padding:1rem 1.5rem 3rem;background:var(--bg);color:var(--fg);"
    "font:15px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.55rem;line-height:1.3;font-weight:650;margin:.1rem 0 .7rem;letter-spacing:-.01em}\n"
    "h2{font-size:1.1rem;margin:1.8rem 0 .5rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}\n"
    "h2 .soft{font-weight:400;font-size:.9rem;margin-left:.4rem}\n"
    "p{margin:.4rem 0}a{color:var(--blue)}code,pre{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace;"
    "font-size:.86em}\n"
    ".soft,.minor,caption,figcaption,.fold{color:var(--soft)}caption{white-space:normal}.minor{font-size:.8rem;font-"
    "weight:400}"
    ".fold{font-size:.87rem}\n"
    ".run{margin:0;font-size:.85rem}\n"
    ".badge{display:inline-block;font-size:.85rem;line-height:1.5;letter-spacing:0;padding:.05rem .6rem;"
    "border-radius:1rem;border:1.5px solid;vertical-align:.25em;margin-right:.35rem;white-space:nowrap}\n"
    ".good{color:var(--good)}.bad{color:var(--bad)}.status{font-weight:600;white-space:nowrap}.status.none{"
    "color:var(--soft)}\n"
    ".faster{color:var(--blue);font-weight:600}.slower{color:var(--orange);font-weight:600}.same,.undecided{"
    "color:var(--soft)}.mark{color:var(--orange)}\n"
    ".hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}\n"
    ".failures{border-left:4px solid var(--bad);background:var(--badbg);padding:.5rem 1rem .6rem;border-radius:4px;"
    "margin:0 0 .8rem}.failures h2{margin:0 0 .2rem;font-size:1rem}.failures ul{margin:0;padding:0;list-style:none}"
    ".failures li{margin:.3rem 0}\n"
    ".conditions{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.4rem}.conditions li{"
    "background:var(--panel);border:1px solid var(--line);border-radius:4px;padding:.15rem .7rem;font-size:.87rem;"
    "color:var(--fg)}.conditions .warn{border-color:var(--orange);color:var(--orange)}"
    ".conditions .good span{color:var(--good)}\n"
    ".trust{font-size:.9rem;max-width:78rem;margin:.3rem 0;padding-left:5.2rem;text-indent:-5.2rem}.trust b{"
    "display:inline-block;width:4.93rem;text-indent:0;color:var(--soft);font-weight:600}\n",
    /* charts and where they stand */
    ".pair{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem 1.6rem;align-items:start}"
    "@media(min-width:1000px){.pair:not(.tall){grid-template-columns:minmax(0,1.45fr) minmax(0,1fr)}}\n"
    "figure{margin:0 0 1rem;min-width:0;max-width:580px}figcaption{font-size:.85rem;padding:.1rem 0 .35rem}"
    ".chart{display:block;width:100%;height:auto}\n"
    ".charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,470px),1fr));gap:1rem 2.5rem;"
    "align-items:start}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:.6rem 2.5rem}.figures>*{min-width:0;max-width:100%}\n"
    /* what is far down is laid out when it comes into view: a large page opens sooner */
    "@media screen{section:is([aria-labelledby="
    "results],[aria-labelledby=samples],[aria-labelledby=figures],[aria-labelledby=data]){content-visibility:auto;"
    "contain-intrinsic-size:auto 40rem}}\n"
    "details{margin:.3rem 0}summary{cursor:pointer;color:var(--blue)}.figure{font-size:.85rem}\n"
    ".scroll{overflow-x:auto;max-width:100%;position:relative}.scroll:focus-visible{outline:2px solid "
    "var(--blue);outline-offset:2px}\n"
    /* tables */
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:0 0 .6rem}caption{text-align:left;"
    "font-size:.85rem;padding:.1rem 0 .35rem}th,td{text-align:left;vertical-align:top;padding:.32rem .7rem;"
    "border-top:1px solid var(--line)}th:first-child,td:first-child{padding-left:.2rem}thead th{border-top:0;"
    "border-bottom:1.5px solid var(--fg);font-size:.87rem;vertical-align:bottom}tbody th{font-weight:600}\n"
    ".matrix{line-height:1.35}.pair .matrix{width:100%}.matrix th,.matrix td{overflow-wrap:normal}.matrix tbody "
    "th{min-width:12rem;max-width:17rem;overflow-wrap:anywhere}.matrix .main{font-weight:500}.matrix "
    "td{min-width:8rem;position:relative}.line{white-space:nowrap}.winner{background:var(--win)}"
    ".winner .main,.brief .winner{font-weight:750}.brief "
    "td{white-space:nowrap}.reason{white-space:normal}.star{color:var(--blue)}.reason{display:inline-block;max-width:"
    "17rem;"
    "overflow-wrap:anywhere}.mean th,.mean td{border-top:1.5px solid var(--fg)}\n"
    ".reasons{margin:0 0 .6rem;padding-left:1.6rem}.reasons li{margin:.1rem 0}\n"
    ".all,.plain{font-size:.82rem;white-space:nowrap}.all td,.all th,.plain td,.plain th{padding:.2rem .6rem}"
    ".all td,.all thead th,.plain td,.plain thead th{text-align:right}.all .t,.plain .t,.all th:first-child,.plain "
    "th:first-child{text-align:left}.all td,.all th{"
    "max-width:24rem;overflow:hidden;text-overflow:ellipsis}\n"
    ".pairs{font-size:.9rem}.pairs tbody th{white-space:nowrap;font-weight:500;color:var(--soft)}\n"
    ".legend dl{font-size:.9rem}.legend dl div{display:grid;grid-template-columns:8.5rem 1fr;gap:.5rem;"
    "margin:.15rem 0}.legend p{font-size:.9rem}.legend dt{margin:0}\n"
    "dl{max-width:58rem}dt{font-weight:600;margin-top:.5rem}dd{margin:0}"
    "pre{margin:.5rem 0;padding:.8rem;background:var(--panel);line-height:1.4;white-space:pre}footer{margin-top:2rem;"
    "font-size:.85rem}\n",
    /* diagrams keep the size of their text; where they are too wide for that they scroll */
    ".diagrams{display:flex;flex-wrap:wrap;gap:1rem "
    "2.5rem;align-items:flex-start}.diagrams>*{min-width:0;max-width:100%}"
    ".diagrams figure{max-width:none}.diagram{display:block;max-width:100%;height:auto}"
    "@media screen and (max-width:600px){.diagram{max-width:none}}\n"
    /* what the script adds */
    ".tools{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.2rem 0 .4rem;font-size:.85rem}"
    ".tools button,.tools input,.sort{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--soft);"
    "border-radius:4px;padding:.12rem .6rem}.tools button,.sort{cursor:pointer}.tools button[aria-pressed=true]{"
    "background:var(--win);border-color:var(--blue);color:var(--blue);font-weight:600}.tools input{width:11rem}\n"
    ".sort{border:0;padding:0;background:none;font-weight:inherit;text-align:inherit;white-space:inherit}.sort:hover{"
    "text-decoration:underline}th[aria-sort=ascending] .sort::after{content:\" \\25B2\"}th[aria-sort=descending] "
    ".sort::after{content:\" \\25BC\"}[hidden]{display:none!important}\n"
    /* narrow: a block for each case, a line for each variant */
    "@media screen and (max-width:600px){body{padding:.8rem .9rem 2rem;font-size:14px}h1{font-size:1.25rem}"
    ".view .matrix,.view .matrix :is(caption,tbody,tfoot,tr,th,td){display:block;width:auto;max-width:none;min-width:0}"
    ".view .matrix thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}"
    ".view .matrix tr{border-top:1.5px solid var(--line);padding:.35rem 0}.view .matrix :is(th,td){border:0;"
    "padding:.12rem .2rem}.view .matrix td[data-label]{padding-left:8rem;display:flow-root}"
    ".view .matrix td[data-label]::before{content:attr(data-label);float:left;width:7.4rem;margin-left:-7.8rem;"
    "color:var(--soft);white-space:normal;overflow-wrap:anywhere}.reason{max-width:none}"
    ".trust{padding-left:0;text-indent:0}.trust b{width:auto;margin-right:.3rem}.legend dl div{"
    "grid-template-columns:1fr;gap:0}}\n",
    /* paper: all tables, none cut off */
    "@media print{body{max-width:none;padding:0;font-size:9.5pt}h1{font-size:15pt}figure,tr,.trust{"
    "break-inside:avoid}h2,h3,figcaption,summary{break-after:avoid}.scroll{overflow:visible}.tools,#data,"
    "#data~*,.figure{display:none}.all,.plain{font-size:6.2pt;white-space:normal}.all thead th,.plain thead th{"
    "font-size:inherit}.all th:first-child{min-width:7em}.all td,.all th,.plain td,.plain th{padding:.1rem "
    ".25rem;overflow-wrap:normal;"
    "max-width:none}.matrix tbody th{min-width:8rem}.matrix td{min-width:5rem}.winner{background:none}"
    /* many variants: as wide as the paper, whatever must wrap for it */
    ".matrix:has(thead th:nth-child(7)){table-layout:fixed;width:100%;font-size:7pt}"
    ".matrix:has(thead th:nth-child(7)) "
    ":is(th,td,span){min-width:0;max-width:none;white-space:normal;font-size:inherit;"
    "overflow-wrap:anywhere}.matrix:has(thead th:nth-child(7)) :is(th,td){padding:.15rem}.pair "
    "figure{max-width:11cm}.pair{display:block}"
    ".charts{grid-template-columns:1fr 1fr;gap:.6rem 1rem}.sort::after{content:none!important}a{color:inherit}}\n"};

#endif
