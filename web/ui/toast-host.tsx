/** Draws the toasts of toasts.ts: eight seconds each, longer while pointer or focus is on them; F6 goes there. */
import { Toast } from "@base-ui/react/toast";
import clsx from "clsx";
import { CircleCheck, X } from "lucide-react";
import { useEffect } from "react";
import { hostToasts } from "./toasts.ts";
import { toButtonClasses } from "./button.tsx";

const SHOWN_FOR_MS = 8_000;
const TOASTS_MAX = 3;

export function ToastHost() {
  return (
    <Toast.Provider timeout={SHOWN_FOR_MS} limit={TOASTS_MAX}>
      <Toast.Portal>
        <Toast.Viewport className={VIEWPORT}>
          <Toasts />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Toasts() {
  const { toasts, add, close } = Toast.useToastManager();
  useEffect(
    () =>
      hostToasts(({ title, description, action }) => {
        const actionProps = action && { children: action.label, onClick: action.onSelect };
        const id = add({ title, ...(description && { description }), ...(actionProps && { actionProps }) });
        return () => close(id);
      }),
    [add, close],
  );
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} swipeDirection={["right", "down"]} className={CARD}>
      <Toast.Content className="flex items-start gap-2.5">
        <CircleCheck aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-ok" />
        <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          <Toast.Title className="font-medium" />
          <Toast.Description className="text-ink-soft" />
          <Toast.Action className={`mt-2 ${toButtonClasses({ size: "sm" })}`} />
        </div>
        <Toast.Close
          aria-label="Dismiss"
          // Base UI hides it until the pointer is over its stack; ours are never stacked.
          aria-hidden={false}
          className="-m-1 flex size-7 shrink-0 items-center justify-center rounded-md text-ink-soft hover:bg-hover
            hover:text-ink"
        >
          <X aria-hidden="true" className="size-4" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

/** Above a bar at the window's lower edge: Save is not covered by the words that something else is done. */
const VIEWPORT = clsx(
  "fixed right-4 bottom-[calc(max(var(--bar-height,0px),var(--unseen-below,0px))+1rem)] z-40 flex w-88",
  "max-w-[calc(100vw-2rem)] flex-col-reverse gap-2",
);
const CARD = clsx(
  "rounded-lg border border-line bg-raised p-3 pl-3.5 text-ink shadow-popup transition-opacity duration-150",
  "data-ending-style:opacity-0 data-limited:hidden data-starting-style:opacity-0",
);
