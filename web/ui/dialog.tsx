/**
 * A dialog that waits for an answer. The browser's own: it keeps the focus inside, closes on Escape, lies above
 * everything, and gives the focus back to where it came from. Base UI's is 20 KB gzip that the first load has not.
 */
import clsx from "clsx";
import { X } from "lucide-react";
import { type MouseEvent, type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from "react";
import { IconButton } from "./button.tsx";
import { Skeleton } from "./skeleton.tsx";

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons, the main one last. */
  readonly footer?: ReactNode;
  /** Where the focus starts; else at the first control. */
  readonly initialFocus?: RefObject<HTMLElement | null>;
  /** Clicks beside it do not close it: for forms, and for what must be decided. */
  readonly isFirm?: boolean;
  readonly isWide?: boolean;
  readonly role?: "dialog" | "alertdialog";
}

export function Dialog(props: Props) {
  // Taken out of the page when closed, so that the next opening starts afresh.
  return props.isOpen ? <OpenDialog {...props} /> : null;
}

/**
 * In the place of one whose code is on its way: what is typed meanwhile reaches nothing behind it.
 */
export function DialogSkeleton({ onClose }: Pick<Props, "onClose">) {
  // On no button: Enter would press it, and the tooltip of the cross would take the first Escape.
  const body = useRef<HTMLDivElement>(null);
  return (
    <OpenDialog isOpen onClose={onClose} title="One moment…" initialFocus={body}>
      <div ref={body} tabIndex={-1} className="outline-none">
        <Skeleton className="h-24" />
      </div>
    </OpenDialog>
  );
}

function OpenDialog(props: Props) {
  const { onClose, title, children, footer, initialFocus, isFirm = false, isWide = false, role } = props;
  const id = useId();
  const dialog = useModal(initialFocus);
  const closeBeside = (event: MouseEvent): void => {
    if (!isFirm && event.target === dialog.current) onClose();
  };
  return (
    // Escape is the keyboard's way; the click is only for the ground beside the dialog.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      role={role}
      aria-labelledby={`${id}-title`}
      aria-describedby={role === "alertdialog" ? `${id}-body` : undefined}
      onClick={closeBeside}
      onCancel={(event) => {
        event.preventDefault();
        if (event.target === event.currentTarget) onClose();
      }}
      className={clsx(
        "m-auto w-full max-w-[calc(100vw-2rem)] overflow-hidden rounded-xl border border-line bg-raised text-ink",
        "top-(--unseen-above,0px) bottom-(--unseen-below,0px) shadow-popup backdrop:bg-black/45",
        isWide ? "sm:max-w-3xl" : "sm:max-w-lg",
      )}
    >
      <div className={BOX}>
        <header className="flex items-start gap-3 px-5 pt-4 pb-2">
          <h2 id={`${id}-title`} className="min-w-0 grow pt-1 text-lg font-semibold [overflow-wrap:anywhere]">
            {title}
          </h2>
          {role !== "alertdialog" && <IconButton label="Close" icon={<X />} onClick={onClose} />}
        </header>
        <div id={`${id}-body`} className="min-h-0 overflow-y-auto overscroll-contain px-5 pb-5 text-ink-soft">
          {children}
        </div>
        {footer !== undefined && (
          // On a phone the thumb falls on the lowest one first: that is Cancel.
          <footer className="flex justify-end gap-2 max-sm:flex-col-reverse border-t border-line bg-sunken px-5 py-3">
            {footer}
          </footer>
        )}
      </div>
    </dialog>
  );
}

/** As high as the part of the window that is seen. In a frame that is not all of it (frame-height.ts). */
const BOX = "flex max-h-[calc(100dvh-var(--unseen-above,0px)-var(--unseen-below,0px)-4rem)] flex-col";

function useModal(initialFocus: RefObject<HTMLElement | null> | undefined): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  // In the layout phase: a passive effect is cleaned up when the element has left the page already, and closing it then
  // does not give the focus back.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    initialFocus?.current?.focus();
    return () => element?.close();
  }, [initialFocus]);
  return dialog;
}
