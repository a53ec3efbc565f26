/** The one stylesheet. Colours are those of `light-dark()`; text has a contrast of 4.5 : 1 and more in both. */
export const style = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1c2128, #e6e9ee);
  --muted: light-dark(#57606a, #a4adb8);
  --page: light-dark(#ffffff, #14181d);
  --raised: light-dark(#f5f7f9, #1d232a);
  --line: light-dark(#d0d7de, #3a434d);
  --accent: light-dark(#0b5cad, #7cb7f5);
  --on-accent: light-dark(#ffffff, #0c141c);
  --good: light-dark(#116329, #6ccb85);
  --warn: light-dark(#7d4e00, #e3b341);
  --bad: light-dark(#b3261e, #ff9a90);
  --cited: light-dark(#fff3c4, #3d3413);
  font: 16px/1.5 system-ui, sans-serif;
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
html { scroll-padding-top: 1rem; }
body { margin: 0; --edge: max(1.5rem, calc((100% - 66rem) / 2 + 1.5rem)); color: var(--text); background: var(--page); overflow-wrap: anywhere; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--page); padding: .25rem .5rem; }
header { display: flex; align-items: baseline; gap: .25rem 1rem; padding: .75rem var(--edge) .5rem; }
header:has(+ main) { border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; white-space: nowrap; text-decoration: none; color: var(--text); }
.place { min-width: 0; max-width: 40vw; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.place::before { content: "/"; margin-right: 1rem; color: var(--muted); }
.account { flex: 1 1 0; min-width: 0; display: flex; gap: 1rem; align-items: baseline; justify-content: flex-end; font-size: .9rem; }
.account a { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
nav { padding: 0 var(--edge); border-bottom: 1px solid var(--line); }
nav ul { display: flex; flex-wrap: wrap; gap: 0 1.5rem; list-style: none; margin: 0; padding: 0; }
nav a { display: block; padding: .4rem 0; border-bottom: 3px solid transparent; text-decoration: none; color: var(--text); }
nav a:hover { border-color: var(--line); }
nav a[aria-current] { border-color: var(--accent); font-weight: 600; }
main { padding: 1.5rem var(--edge); }
main > :not(.scroll, .charts, .source) { max-width: 54rem; }
main > p { max-width: 48rem; }
form.card { max-width: 36rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1.05rem; margin: 1.25rem 0 .5rem; }
.muted, .hint { color: var(--muted); }
.notice, .card { background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
.notice { border-left: 4px solid var(--good); margin: 0 0 1rem; }
:is(.card, .notice) > :first-child { margin-top: 0; }
:is(.card, .notice) > :last-child { margin-bottom: 0; }
.error { color: var(--bad); font-weight: 600; }
.good { color: var(--good); }
.moved, .doubtful { color: var(--warn); }
.bad { color: var(--bad); }
.field { margin: 0 0 1rem; }
.field > label, legend { display: block; font-weight: 600; }
.hint { margin: 0; font-size: .9rem; }
.field .error { margin: .25rem 0 0; }
fieldset { min-width: 0; border: 1px solid var(--line); border-radius: .4rem; margin: 0 0 1rem; padding: .5rem 1rem; }
.choices { max-height: 14rem; overflow: auto; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(9.5rem, 100%), 1fr)); gap: .15rem 1rem; padding: .15rem; }
#choices { grid-template-columns: repeat(auto-fill, minmax(min(13rem, 100%), 1fr)); }
.choices label { display: flex; gap: .4rem; align-items: baseline; }
.choices input { translate: 0 .15rem; }
.filter { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; margin: 0 0 .75rem; }
.filter input[type=search] { max-width: 16rem; padding-block: .25rem; }
.picker { display: flex; flex-wrap: wrap; gap: .5rem; padding: 0; border: 0; }
.picker > label { padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 1rem; cursor: pointer; }
.picker > input:checked + label { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.picker > input:focus-visible + label { outline: 3px solid var(--accent); outline-offset: 2px; }
.picker > div { display: none; order: 1; width: 100%; }
.picker > input:checked + label + div { display: block; }
input, select, textarea, button { font: inherit; color: inherit; }
input:not([type=checkbox], [type=radio]), select, textarea { width: 100%; max-width: 34rem; padding: .45rem .6rem; background: var(--page); border: 1px solid var(--muted); border-radius: .4rem; }
textarea { max-width: none; min-height: 6rem; resize: vertical; }
input[type=checkbox], input[type=radio] { flex: none; width: 1.1rem; height: 1.1rem; accent-color: var(--accent); }
:is(input, select, textarea)[aria-invalid=true] { border: 2px solid var(--bad); }
button, .button { min-height: 2.25rem; padding: .35rem .9rem; border: 1px solid var(--accent); border-radius: .4rem; background: var(--accent); color: var(--on-accent); font-weight: 600; white-space: nowrap; cursor: pointer; }
.button { display: inline-block; text-decoration: none; white-space: normal; }
button.quiet { background: transparent; color: var(--accent); }
button.plain { min-height: 0; padding: 0; border: 0; background: none; color: var(--muted); font-weight: 400; text-decoration: underline; }
button[disabled] { opacity: .6; cursor: default; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; }
.scroll { overflow-x: auto; margin: 0 0 1.5rem; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--muted); padding-bottom: .25rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); overflow-wrap: normal; }
.long { display: block; min-width: 9rem; overflow-wrap: anywhere; }
td form { margin: 0; }
td, th { font-variant-numeric: tabular-nums; }
:is(td, .conversations, .copy) button.quiet:not([popover] *) { min-height: 1.75rem; padding: 0 .6rem; border-color: var(--line); font-size: .9rem; font-weight: 500; }
:is(td, .conversations, .copy) button.quiet:hover { border-color: var(--accent); }
td .actions { gap: .4rem; min-width: max-content; align-items: center; }
td select { width: auto; padding: .15rem .4rem; }
time { white-space: nowrap; }
.copy { margin: .5rem 0 1rem; }
th.center, td.center { text-align: center; }
th.right, td.right { text-align: right; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); gap: 1rem 2rem; margin: 0 0 1.5rem; }
.chart { margin: 0; }
.chart figcaption { font-weight: 600; }
.chart figcaption .muted { font-weight: 400; }
.chart svg { display: block; width: 100%; height: 7rem; margin-top: .5rem; border-bottom: 1px solid var(--muted); fill: var(--accent); }
.axis { display: flex; justify-content: space-between; margin: 0; font-size: .9rem; }
.months { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .25rem 1rem; }
meter { display: block; width: 100%; max-width: 12rem; height: 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; padding: .75rem; overflow-x: auto; margin: .5rem 0; }
.whole { user-select: all; }
details { margin: .5rem 0; }
summary { cursor: pointer; font-weight: 600; padding: .25rem 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dt { color: var(--muted); }
dd { margin: 0; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.turn { margin: 0 0 2rem; scroll-margin-top: .5rem; }
.question { margin: 0 0 .75rem; padding: .6rem .9rem; font-size: 1rem; font-weight: 500; line-height: 1.5; white-space: pre-wrap; background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; }
.question:focus { outline: none; }
.sources { margin-top: 1rem; border-top: 1px solid var(--line); }
.sources h3 { margin: .5rem 0 0; }
.sources > p { margin: 0; }
.sources ol { list-style: none; margin: .5rem 0; padding: 0; }
.sources li { display: grid; grid-template-columns: 1.5rem 1fr; margin: 0 0 .35rem; }
.sources li > .muted { grid-column: 2; font-size: .9rem; }
.turn details, .turn .making { margin: .5rem 0 0; font-size: .9rem; }
#progress { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; background: var(--page); }
#progress:has(#stop:not([hidden])) { position: sticky; bottom: 0; padding: .5rem 0; }
#status { margin: 0 0 .5rem; }
#open-conversation { margin-top: 1rem; align-items: center; justify-content: space-between; }
.conversations { list-style: none; margin: .5rem 0 0; padding: 0; border-top: 1px solid var(--line); }
.conversations li { display: flex; gap: 1rem; justify-content: space-between; align-items: center; padding: .5rem 0; border-bottom: 1px solid var(--line); }
.cite { border: 1px solid var(--line); border-radius: .4rem; padding: 0 .3rem; background: var(--raised); text-decoration: none; display: inline-block; max-width: calc(100% - .75rem); }
.answer blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--muted); }
.answer .raw { white-space: pre-wrap; }
.task { list-style: none; }
.source { padding: .75rem 0; white-space: pre; tab-size: 4; }
dialog { width: min(62rem, 100vw - 2rem); max-height: calc(100dvh - 2rem); padding: 0 1rem 1rem; color: var(--text); background: var(--page); border: 1px solid var(--line); border-radius: .5rem; }
[popover] { width: min(26rem, 100vw - 2rem); padding: 0 1rem 1rem; color: var(--text); background: var(--page); border: 1px solid var(--line); border-radius: .5rem; }
dialog::backdrop, [popover]::backdrop { background: rgb(0 0 0 / .5); }
dialog > form { position: sticky; top: 0; align-items: center; justify-content: space-between; padding: 1rem 0; background: var(--page); }
#source-name { flex: 1; min-width: 0; }
mark { color: inherit; background: none; }
pre.source code { display: block; width: max-content; min-width: 100%; }
.source .row { display: block; scroll-margin-top: 6rem; padding-right: .75rem; }
.source .row.cited { background: var(--cited); box-shadow: inset 4px 0 var(--warn); }
.source .number { display: inline-block; min-width: 4rem; padding-right: 1rem; text-align: right; color: var(--muted); user-select: none; text-decoration: none; }
@media (forced-colors: active) { .source .row.cited { forced-color-adjust: none; background: Mark; color: MarkText; } .source .row.cited .number { color: inherit; } .chart svg { fill: CanvasText; } }
@media (max-width: 40rem) {
body { --edge: 1rem; }
main { padding-block: 1rem; }
nav ul { gap: 0 .8rem; font-size: .875rem; }
nav a { padding: .3rem 0; }
dl { grid-template-columns: 1fr; }
dd { margin-bottom: .5rem; }
.rows :is(table, caption, tbody, tr, th, td) { display: block; }
.rows thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.rows tr { padding: .5rem .75rem; margin-bottom: .75rem; border: 1px solid var(--line); border-radius: .4rem; }
.rows tr > * { position: relative; min-height: 1.5rem; padding: .15rem 0 .15rem 6.5rem; border: 0; overflow-wrap: anywhere; }
.rows tr > :is(th, [data-label=Actions]) { padding-left: 0; }
.rows td::before { position: absolute; left: 0; content: attr(data-label); color: var(--muted); }
.rows td[data-label=Actions]::before { content: none; }
.rows td:is(:empty, :has(> div:only-child:empty)) { display: none; }
.rows .actions { flex-wrap: wrap; min-width: 0; }
:is(td, .conversations, .copy) button.quiet:not([popover] *) { min-height: 2.25rem; padding: 0 .9rem; }
}
`;

/** The icon of the pages. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5cad"/><path d="M4 4.5h8M4 8h8M4 11.5h5" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>`;
