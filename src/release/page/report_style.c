/* SPDX-License-Identifier: Apache-2.0 */
/* report_style.c - the looks of the page: one column that reads well from a telephone to a wide
 * screen, by day, by night and on paper.  Texts have a contrast of 4.5 and more on their ground,
 * marks of 3. */
#include "release/page/report_page.h"

const char *const lethe_page_style[] = {
    "\n:root{color-scheme:light dark;"
    "--ground:#fbfaf7;--paper:#ffffff;--ink:#1c2126;--soft:#545d66;--rule:#d9d6cd;--accent:#0b5f6e;"
    "--good:#17633a;--good-ground:#e6f3ea;--bad:#9c2317;--bad-ground:#fbe9e6;"
    "--warn:#7a4f00;--warn-ground:#fdf2d8;"
    "--s0:#0b6f80;--s1:#a85a10;--s2:#767f88;--s3:#7a3fa0;--s4:#2c6e2f;--s5:#b02a5b}\n",
    "@media (prefers-color-scheme:dark){:root{"
    "--ground:#13181b;--paper:#1a2024;--ink:#e7eaec;--soft:#aab3ba;--rule:#353e44;--accent:#74cbd9;"
    "--good:#8ddba8;--good-ground:#16301f;--bad:#ffa79b;--bad-ground:#3b1a16;"
    "--warn:#f3c773;--warn-ground:#34280f;"
    "--s0:#5cc0d0;--s1:#eeaa5e;--s2:#98a2aa;--s3:#c79be6;--s4:#8fcf8b;--s5:#f58fb4}}\n",
    "*,*::before,*::after{box-sizing:border-box}\n",
    "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n",
    "body{margin:0;background:var(--ground);color:var(--ink);"
    "font:1rem/1.6 system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation "
    "Sans',sans-serif;"
    "overflow-wrap:break-word}\n",
    "header,nav,main,footer{max-width:64rem;margin:0 auto;padding:0 1rem}\n",
    "header{padding-top:2rem}\n",
    ".brand{margin:0;color:var(--accent);font-weight:600;letter-spacing:.12em;font-size:.875rem}\n",
    "h1,h2,h3{line-height:1.25;text-wrap:balance;font-family:Georgia,'Noto Serif','Liberation "
    "Serif',serif;"
    "font-weight:600}\n",
    "h1{font-size:clamp(1.75rem,1.3rem + 2vw,2.5rem);margin:.25rem 0 .5rem}\n",
    "h2{font-size:1.5rem;margin:0 0 .75rem;scroll-margin-top:1rem}\n",
    "h3{font-size:1.125rem;margin:1.75rem 0 .5rem}\n",
    "p,li{max-width:42rem}\n",
    "p{margin:.5rem 0}\n",
    ".lead{font-size:1.125rem;color:var(--soft)}\n",
    ".formal,.note,footer{color:var(--soft);font-size:.9375rem}\n",
    ".verdict{max-width:none;margin:1.25rem 0;padding:1rem 1.25rem;border-radius:.5rem;"
    "border:1px solid;border-left-width:.375rem}\n",
    ".good{background:var(--good-ground);border-color:var(--good)}\n",
    ".bad{background:var(--bad-ground);border-color:var(--bad)}\n",
    ".warn{background:var(--warn-ground);border-color:var(--warn)}\n",
    ".good strong,.yes{color:var(--good)}\n",
    ".bad strong,.no{color:var(--bad)}\n",
    ".answer{margin:1.25rem 0;padding:1rem 1.25rem;border-radius:.5rem;border-style:solid;"
    "border-width:1px 1px 1px .375rem}\n",
    ".headline{max-width:none;margin:0 0 .75rem;font-size:1.1875rem;line-height:1.4}\n",
    ".warn .headline strong{color:var(--warn)}\n",
    ".answer ul{list-style:none;margin:0;padding:0;display:grid;gap:.5rem}\n",
    ".answer li{max-width:none;background:var(--paper);border:1px solid "
    "var(--rule);border-radius:.375rem;"
    "padding:.625rem .875rem;display:grid;grid-template-columns:7rem minmax(0,1fr);gap:.25rem "
    "1rem}\n",
    ".answer li strong{color:var(--ink)}\n",
    ".answer li p{max-width:none;margin:.125rem 0}\n",
    ".answer>.note{max-width:none;margin:.75rem 0 0;color:var(--ink)}\n",
    ".chip{font-weight:600;color:var(--soft)}\n",
    ".good>.chip{color:var(--good)}.warn>.chip{color:var(--warn)}.bad>.chip{color:var(--bad)}\n",
    "@media (max-width:40rem){.answer{padding:.75rem}.answer "
    "li{grid-template-columns:minmax(0,1fr)}}\n",
    ".sign{display:none}\n",
    ".yes,.no{font-weight:600;white-space:nowrap}\n",
    ".facts{list-style:none;margin:0 0 1.25rem;padding:0;display:grid;gap:.75rem;"
    "grid-template-columns:repeat(auto-fit,minmax(10.5rem,1fr))}\n",
    ".facts li{padding:.75rem 1rem;background:var(--paper);border:1px solid var(--rule);"
    "border-radius:.5rem;max-width:none}\n",
    "@media(max-width:40rem){.facts li:last-child:nth-child(odd){grid-column:1/-1}}\n",
    ".facts strong{display:block;font-size:1.25rem;line-height:1.3}\n",
    ".facts span{color:var(--soft);font-size:.9375rem;line-height:1.4;display:block}\n",
    "a{color:var(--accent);text-underline-offset:.2em}\n",
    "a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid var(--accent);"
    "outline-offset:2px;border-radius:.25rem}\n",
    ".skip{position:absolute;left:1rem;top:-4rem;padding:.5rem 1rem;background:var(--paper);"
    "border:1px solid var(--accent);border-radius:.25rem;z-index:1}\n",
    ".skip:focus{top:.5rem}\n",
    "nav ul{list-style:none;margin:0;padding:.75rem 0;display:flex;flex-wrap:wrap;gap:.25rem "
    "1.25rem;"
    "border-block:1px solid var(--rule)}\n",
    "nav li{max-width:none}\n",
    "nav a{display:inline-block;padding:.25rem 0;font-size:.9375rem}\n",
    "section{padding:2rem 0;border-bottom:1px solid var(--rule)}\n",
    "section:last-child{border-bottom:0}\n",
    ".caveats{padding-left:0;list-style:none;margin:0}\n",
    ".caveats li{padding:.5rem 0 .5rem 1rem;border-left:3px solid var(--s1);margin:.5rem 0}\n",
    "code{font-family:ui-monospace,'Cascadia Mono','Noto Sans Mono','Liberation Mono',monospace;"
    "font-size:.875em}\n",
    "td code{white-space:nowrap}\n",
    ".scroll{overflow-x:auto;max-width:100%;margin:1rem 0;border:1px solid var(--rule);"
    "border-radius:.5rem;background:var(--paper)}\n",
    "table{border-collapse:collapse;width:100%;font-size:.9375rem;line-height:1.45}\n",
    "caption{text-align:left;padding:.5rem .75rem;color:var(--soft);font-size:.875rem}\n",
    "th,td{text-align:left;vertical-align:top;padding:.4375rem .75rem;border-top:1px solid "
    "var(--rule)}\n",
    "td{min-width:4.5rem}\n",
    "td.wide{min-width:14rem}\n",
    "td.value{padding-left:1.25rem;min-width:10rem}\n",
    "thead th{color:var(--soft);font-weight:600;font-size:.8125rem;vertical-align:bottom}\n",
    "tbody th{font-weight:600}\n",
    ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n",
    "td.n{min-width:4rem;max-width:18rem;white-space:normal}\n",
    "thead th.n{white-space:normal}\n",
    "td.one{min-width:0;white-space:nowrap}\n",
    ".nodes{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem "
    "1rem;font-size:.9375rem}\n",
    ".nodes dd{margin:0;color:var(--soft)}\n",
    "@media (max-width:40rem){.nodes{grid-template-columns:minmax(0,1fr)}.nodes "
    "dd{margin-bottom:.375rem}}\n",
    ".none{color:var(--soft);font-style:italic}\n",
    "td bdi{overflow-wrap:anywhere;white-space:pre-wrap}\n",
    "figure{margin:1.25rem 0;display:grid;gap:1rem "
    "2rem;grid-template-columns:minmax(0,1fr);align-items:start}\n",
    "@media (min-width:56rem){figure{grid-template-columns:minmax(0,27rem) minmax(0,1fr)}}\n",
    ".plot{background:var(--paper);border:1px solid var(--rule);border-radius:.5rem;padding:.75rem;"
    "max-width:28rem}\n",
    "figure.wide{grid-template-columns:minmax(0,1fr)}figure.wide .plot{max-width:none}\n",
    ".narrow{display:none}@media (max-width:48rem){.narrow{display:block}.broad{display:none}}\n",
    ".cards{display:grid;gap:1rem;grid-template-columns:minmax(0,1fr);list-style:none;margin:0;"
    "padding:0}\n",
    "@media (min-width:56rem){.cards{grid-template-columns:repeat(3,minmax(0,1fr))}}\n",
    ".cards li{max-width:none;background:var(--paper);border:1px solid "
    "var(--rule);border-radius:.5rem;"
    "padding:.875rem 1rem}\n",
    ".cards h4{margin:0 0 .25rem;font-size:1rem;font-family:inherit}\n",
    ".cards p{margin:.25rem 0;font-size:.9375rem}\n",
    ".cards pre,.cards ul{margin:.5rem 0;padding:0;font-size:.8125rem}\n",
    ".cards pre{white-space:pre-wrap;overflow-wrap:anywhere}\n",
    ".cards ul{list-style:none;color:var(--soft)}\n",
    ".cards ul li{border:0;border-left:3px solid "
    "var(--rule);border-radius:0;background:none;padding:.125rem .5rem;"
    "margin:.25rem 0;overflow-wrap:anywhere}\n",
    "@media (max-width:30rem){.plot{padding:.625rem .375rem}}\n",
    "svg{display:block;width:100%;height:auto;overflow:visible}\n",
    "svg text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','Liberation "
    "Sans',sans-serif;"
    "fill:var(--ink)}\n",
    "svg .tick,svg .label{fill:var(--soft)}\n",
    "svg .tick{font-size:11.5px}\n",
    "svg .heading{font-weight:600;paint-order:stroke;stroke:var(--paper);stroke-width:4px;"
    "stroke-linejoin:round}\n",
    "svg .value,svg .tick{font-variant-numeric:tabular-nums}\n",
    "svg .name{font-size:11px;paint-order:stroke;stroke:var(--paper);stroke-width:3px;"
    "stroke-linejoin:round}\n",
    ".grid{stroke:var(--rule);stroke-width:1}\n",
    ".axis{stroke:var(--soft);stroke-width:1}\n",
    ".curve{fill:none;stroke-width:2;stroke:var(--c)}\n",
    ".mark{fill:var(--c);stroke:var(--paper);stroke-width:1}\n",
    ".hollow{fill:var(--paper);stroke:var(--c);stroke-width:2}\n",
    ".mark.dim{--c:var(--s2)}\n",
    "svg .name.dim{fill:var(--soft)}\n",
    ".over{fill:var(--rule);opacity:.35}\n",
    ".bound{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:6 4}\n",
    ".bar{fill:var(--c)}\n",
    ".s0{--c:var(--s0)}.s1{--c:var(--s1)}.s2{--c:var(--s2)}.s3{--c:var(--s3)}.s4{--c:var(--s4)}"
    ".s5{--c:var(--s5)}\n",
    ".curve.s1{stroke-dasharray:6 4}.curve.s2{stroke-dasharray:2 3}.curve.s3{stroke-dasharray:8 3 "
    "2 3}"
    ".curve.s4{stroke-dasharray:4 2}.curve.s5{stroke-dasharray:1 4}\n",
    "summary{cursor:pointer;color:var(--accent);padding:.375rem "
    "0;font-size:.9375rem;width:fit-content}\n",
    "footer{padding-block:1.5rem 3rem}\n",
    "footer p{max-width:none}\n",
    "@media print{:root{color-scheme:light;"
    "--ground:#fff;--paper:#fff;--ink:#000;--soft:#444;--rule:#bbb;--accent:#000;"
    "--good:#17633a;--good-ground:#fff;--bad:#9c2317;--bad-ground:#fff;--warn:#7a4f00;--warn-"
    "ground:#fff;"
    "--s0:#0b6f80;--s1:#a85a10;--s2:#767f88;--s3:#7a3fa0;--s4:#2c6e2f;--s5:#b02a5b}\n",
    "body{font-size:10.5pt}.note,.formal,footer,.answer>.note{font-size:9pt}.headline{font-size:12."
    "5pt}header,nav,main,footer{max-width:none}.skip,nav,summary{display:none}\n",
    "details::details-content{content-visibility:visible;block-size:auto}\n",
    ".sign{display:block;break-inside:avoid}.sign p{max-width:none;margin:1.5rem 0 "
    "0;padding-bottom:1.75rem;"
    "border-bottom:1px solid #000}\n",
    "h2,h3{break-after:avoid}figure,tr,.verdict,.answer li{break-inside:avoid}"
    ".scroll{overflow:visible}.cards{grid-template-columns:repeat(2,minmax(0,1fr))}.cards "
    "li{break-inside:avoid}"
    ".narrow{display:none}.broad{display:block}.broad svg .name,.broad svg "
    ".tick{font-size:12px}section{padding:1rem 0}table{font-size:8.5pt}"
    "th,td,td.wide{min-width:0;padding:.2rem .35rem}td{overflow-wrap:anywhere}"
    "td.n{overflow-wrap:normal}"
    "thead th{font-size:7.5pt;white-space:normal}"
    "td code,.yes,.no{white-space:normal}}\n",
    "@media (prefers-contrast:more){:root{--soft:var(--ink);--rule:currentColor}}\n",
    NULL,
};
