import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Link, type To } from "react-router";
import { namesChannel } from "../../lib/namesChannel";
import { Icon } from "./Icon";
import type { Drawing, IconName } from "./icons";
import "./Button.css";

interface Look {
  /** `primary` is the main action of a view; `chalk` is for headers and pictures. */
  readonly look?: "primary" | "second" | "quiet" | "danger" | "chalk";
  readonly size?: "normal" | "big" | "small";
  /** As wide as its container. */
  readonly block?: boolean;
  /** Capitals: only for the two sign-in buttons. */
  readonly capitals?: boolean;
  readonly icon?: IconName | Drawing;
  readonly iconFilled?: boolean;
  readonly children?: ReactNode;
}

function classOf({ look = "second", size = "normal", block, capitals }: Look, alone: boolean, extra?: string): string {
  return [
    "button",
    `button--${look}`,
    size !== "normal" && `button--${size}`,
    block && "button--block",
    capitals && "button--capitals",
    alone && "button--alone",
    extra,
  ]
    .filter(Boolean)
    .join(" ");
}

type ButtonProps = Look &
  Omit<ButtonHTMLAttributes<HTMLButtonElement>, "children"> & {
    /** Busy: keeps its width, ignores presses and announces its state. */
    readonly busy?: boolean;
    /** Accessible name of a button that shows only an icon. */
    readonly label?: string;
  };

export function Button(props: ButtonProps) {
  const { look, size, block, capitals, icon, iconFilled, children, busy, label, className, type, onClick, ...rest } =
    props;
  const alone = children === undefined;
  return (
    <button
      {...rest}
      type={type ?? "button"}
      className={classOf(props, alone, className)}
      aria-label={label}
      aria-busy={busy ? true : undefined}
      // A busy button stays focusable: a disabled one would lose the keyboard focus.
      aria-disabled={busy ? true : undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy && <span className="button__ring" aria-hidden="true" />}
      <span className="button__content">
        {icon && <Icon name={icon} filled={iconFilled ?? icon === "play"} />}
        {children}
      </span>
    </button>
  );
}

type ButtonLinkProps = Look & {
  readonly to: To;
  readonly label?: string;
  readonly className?: string;
  readonly replace?: boolean;
  readonly state?: unknown;
};

/** A link styled as a button. */
export function ButtonLink(props: ButtonLinkProps) {
  const { to, icon, iconFilled, children, label, className, replace, state } = props;
  return (
    <Link
      to={to}
      reloadDocument={namesChannel(to)}
      className={classOf(props, children === undefined, className)}
      aria-label={label}
      replace={replace ?? false}
      state={state}
    >
      <span className="button__content">
        {icon && <Icon name={icon} filled={iconFilled ?? icon === "play"} />}
        {children}
      </span>
    </Link>
  );
}
