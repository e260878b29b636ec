import Markdown, { RuleType } from "markdown-to-jsx/react";
import type { AnchorHTMLAttributes } from "react";
import { Link } from "react-router";
import { namesChannel } from "../../lib/namesChannel";
import "./Prose.css";

/** A link of the channel: inside the site without a reload, outside in its own page. */
function ProseLink({ href = "", children }: AnchorHTMLAttributes<HTMLAnchorElement>) {
  if (href.startsWith("/") && !href.startsWith("//") && !namesChannel(href)) {
    return (
      <Link className="link" to={href}>
        {children}
      </Link>
    );
  }
  return (
    <a className="link" href={href} rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Headings of the channel's text stand below the page's own: a channel's `#` is the page's second level. */
const DEEPEST = 4;

/** A channel's text. HTML in it is shown as text, never run. */
export default function Prose({ text }: { readonly text: string }) {
  return (
    <div className="prose">
      <Markdown
        options={{
          disableParsingRawHTML: true,
          forceBlock: true,
          overrides: { a: ProseLink },
          renderRule(next, node, renderChildren, state) {
            if (node.type !== RuleType.heading) return next();
            const Heading = `h${Math.min(DEEPEST, Math.max(2, node.level))}` as "h2" | "h3" | "h4";
            return <Heading key={state.key}>{renderChildren(node.children, state)}</Heading>;
          },
        }}
      >
        {text}
      </Markdown>
    </div>
  );
}
