/** Where toasts appear. Their code is fetched after the page's own, because the first second does not need it. */
import { Suspense, lazy } from "react";

const ToastHost = lazy(async () => ({ default: (await import("./toast-host.tsx")).ToastHost }));

export function ToastPlace() {
  return (
    <Suspense>
      <ToastHost />
    </Suspense>
  );
}
