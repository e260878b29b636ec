import Markdown, { RuleType } from "markdown-to-jsx/react";
import type { AnchorHTMLAttributes } from "react";
import { Link } from "react-router";
import { namesChannel } from "../../lib/namesChannel";
import "./Prose.css";

/** A link in the channel's text: client-side within the site, in a new tab otherwise. */
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

/** Headings in the channel's text are below the page's own: `#` becomes the second level. */
const DEEPEST = 4;

/** A channel's text in Markdown. HTML in it is shown as text, never rendered. */
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
