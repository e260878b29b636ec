import { useState } from "react";
import { Link } from "react-router";
import "./Brand.css";

export interface BrandView {
  /** "Northfield Sports Network" */
  readonly name: string;
  /** "Northfield" */
  readonly short: string;
  /** "Sports Network" */
  readonly tagline: string;
  /**
   * Address of the channel's mark. If it is missing or fails to load, the channel's initial on the accent colour
   * replaces it.
   */
  readonly logo: string | null;
}

export function Brand({ brand, link = true }: { readonly brand: BrandView; readonly link?: boolean }) {
  const [broken, setBroken] = useState<string | null>(null);
  const inside = (
    <>
      {brand.logo === null || brand.logo === broken ? (
        <span className="brand__mark" aria-hidden="true">
          {brand.short.slice(0, 1).toUpperCase()}
        </span>
      ) : (
        <img
          className="brand__logo"
          src={brand.logo}
          alt=""
          width="38"
          height="38"
          onError={() => setBroken(brand.logo)}
        />
      )}
      <span>
        <b className="brand__first">{brand.short}</b>{" "}
        {brand.tagline !== "" && <small className="brand__rest">{brand.tagline}</small>}
      </span>
    </>
  );
  return link ? (
    <Link className="brand" to="/">
      {inside}
    </Link>
  ) : (
    <div className="brand">{inside}</div>
  );
}
