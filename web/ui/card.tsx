/** A part of a page with a title of its own. `isFlush` for what brings its own edges, such as a table. */
import clsx from "clsx";
import { type ReactNode, useId } from "react";

interface Props {
  readonly title?: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
  /** Below a line, such as a form's buttons. */
  readonly footer?: ReactNode;
  readonly isFlush?: boolean;
  /** One of many of their kind, which may be called the same: its heading leads there, and it is no landmark. */
  readonly isListed?: boolean;
  readonly className?: string;
}

export function Card(props: Props) {
  const { title, description, actions, children, footer, isFlush = false, isListed = false, className } = props;
  const id = useId();
  return (
    <section
      aria-labelledby={title === undefined || isListed ? undefined : id}
      className={clsx("min-w-0 overflow-clip rounded-xl border border-line bg-surface shadow-card", className)}
    >
      {title !== undefined && (
        <header className="flex flex-wrap items-start gap-x-4 gap-y-2 px-5 pt-4">
          <div className="min-w-0 flex-1 basis-56">
            <h2 id={id} className="text-lg font-semibold">
              {title}
            </h2>
            {description !== undefined && <div className="text-ink-soft">{description}</div>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      {children !== undefined && <div className={isFlush ? title && "pt-3" : "px-5 py-4"}>{children}</div>}
      {footer !== undefined && (
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line bg-sunken px-5 py-3">
          {footer}
        </footer>
      )}
    </section>
  );
}
