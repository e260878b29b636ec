import { Touchline } from "../../components/basic/Touchline";
import { FixtureName } from "../../components/event/FixtureName";
import { Poster } from "../../components/picture/Poster";
import type { Product } from "./product";

const LINES = {
  live: { kind: "live" },
  upcoming: { kind: "upcoming" },
  watched: { kind: "watched", at: 0 },
} as const;

/** The product's picture, name and description. */
export function ProductSummary({ product }: { readonly product: Product }) {
  const { line } = product;
  return (
    <div className="buy__product">
      <div>
        <Poster picture={product.picture} />
        <Touchline state={LINES[line === "live" || line === "upcoming" ? line : "watched"]} />
      </div>
      <div>
        <p className="buy__name">
          <FixtureName title={product.name} />
        </p>
        <p className="type-meta muted">{product.about}</p>
      </div>
    </div>
  );
}
