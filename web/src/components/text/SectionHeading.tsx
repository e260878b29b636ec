import { Link, type To } from "react-router";
import { Icon } from "../basic/Icon";
import "./SectionHeading.css";

interface SectionHeadingProps {
  readonly id: string;
  readonly title: string;
  readonly count?: string | undefined;
  readonly more?: { readonly to: To; readonly label: string } | undefined;
}

/** A section's title, its count and a link to the full list. */
export function SectionHeading({ id, title, count, more }: SectionHeadingProps) {
  return (
    <div className="section-heading">
      <h2 className="type-section" id={id}>
        <bdi>{title}</bdi>
      </h2>
      {count !== undefined && <span className="muted figures">{count}</span>}
      {more && (
        <Link className="section-heading__more" to={more.to}>
          {more.label}
          <Icon name="chevronRight" size="small" />
        </Link>
      )}
    </div>
  );
}
