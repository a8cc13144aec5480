"""The style sheet of a report: both themes, narrow screens, and A4."""

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--sunken:#eef1f3;--rule:#d3dade;--ink:#14191d;
--ink-2:#444f57;--gold:#dca62b;--pass:#1b6e45;--fail:#ad241b;--inconclusive:#6545ad;
--waived:#4f5d66;--running:#1a5cad}
@media (prefers-color-scheme:dark){:root{--paper:#15181b;--sunken:#0f1214;--rule:#2e353b;
--ink:#e6eaed;--ink-2:#b0bac1;--gold:#dfae3c;--pass:#62c795;--fail:#ff8f85;--inconclusive:#bda8f5;
--waived:#a5b1b9;--running:#7fb5f5}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1080px;padding:32px 24px 64px;background:var(--paper);color:var(--ink);
font:14px/20px "IBM Plex Sans",system-ui,sans-serif;font-variant-numeric:tabular-nums;
overflow-wrap:anywhere}
h1{margin:0 0 8px;font-size:28px;line-height:36px;font-weight:600}
h2{margin:40px 0 12px;padding-top:16px;border-top:1px solid var(--rule);font-size:20px;
line-height:28px;font-weight:600}
h3{margin:24px 0 8px;font-size:14px;font-weight:600}
p{margin:8px 0}
a{color:inherit}
.lead{font-size:16px;line-height:24px}
.quiet,figcaption,dt{color:var(--ink-2)}
.state{font-weight:600;white-space:nowrap}
.state.pass,.state.done{color:var(--pass)}
.state.fail,.state.failed{color:var(--fail)}
.state.inconclusive{color:var(--inconclusive)}
.state.waived,.state.cancelled{color:var(--waived)}
.state.running,.state.preparing,.state.finishing{color:var(--running)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(240px,1fr));gap:8px 24px;
margin:12px 0}
dd{margin:0}
ul{margin:8px 0;padding-left:20px}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:8px 0;overflow-wrap:normal}
th,td{padding:6px 16px 6px 0;border-bottom:1px solid var(--rule);text-align:left;
vertical-align:top;font-weight:400}
thead th{color:var(--ink-2);white-space:nowrap}
.figures td{text-align:right;white-space:nowrap}
.figures thead th+th{text-align:right}
figure{margin:16px 0;overflow-x:auto}
.pictures{display:flex;flex-wrap:wrap;gap:8px 48px}
.pictures figure{max-width:100%}
svg{display:block;max-width:none}
code,pre{font-family:"IBM Plex Mono",ui-monospace,monospace;font-size:13px}
pre{overflow-x:auto;padding:8px;background:var(--sunken)}
.notes{border-left:3px solid var(--rule);padding-left:16px}
.notes :is(h1,h2,h3){margin:12px 0 4px;padding:0;border:0;font-size:14px;line-height:20px}
footer{margin-top:48px;padding-top:16px;border-top:1px solid var(--rule);color:var(--ink-2)}
@media (max-width:600px){body{padding:16px 16px 48px}h1{font-size:22px;line-height:28px}}
@page{size:A4;margin:16mm 14mm}
@media print{:root{color-scheme:light;--paper:#fff;--sunken:#eef1f3;--rule:#d3dade;--ink:#14191d;
--ink-2:#444f57;--gold:#dca62b;--pass:#1b6e45;--fail:#ad241b;--inconclusive:#6545ad;
--waived:#4f5d66;--running:#1a5cad}
body{max-width:none;padding:0;font-size:10pt;line-height:14pt;print-color-adjust:exact;
-webkit-print-color-adjust:exact}
h2,h3{break-after:avoid}
tr,figure,dl>div{break-inside:avoid}
figure,.wide{overflow:visible}
svg{max-width:100%;height:auto}
thead{display:table-header-group}
table{overflow-wrap:anywhere;font-size:9pt}
.figures td,thead th{white-space:normal}}
"""
