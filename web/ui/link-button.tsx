/** A link that looks like a button, for what leads to another address. */
import clsx from "clsx";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { type ButtonLook, Mark, toButtonClasses } from "./button.tsx";

interface Props extends ButtonLook {
  readonly href: string;
  readonly icon?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
}

export function LinkButton({ href, icon, tone, size, children, className }: Props) {
  return (
    <Link href={href} className={clsx(toButtonClasses({ tone, size }), className)}>
      {icon !== undefined && <Mark>{icon}</Mark>}
      {children}
    </Link>
  );
}
