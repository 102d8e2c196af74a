/** Where toasts appear. Their code is fetched after the page's own: nobody needs it in the first second. */
import { Suspense, lazy } from "react";

const ToastHost = lazy(async () => ({ default: (await import("./toast-host.tsx")).ToastHost }));

export function ToastPlace() {
  return (
    <Suspense>
      <ToastHost />
    </Suspense>
  );
}
