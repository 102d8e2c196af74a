/**
 * Access token and client certificate in a webhook's form. Most webhooks have neither, so the fields come in a file of
 * their own when they are wanted: at once for a webhook that has them, else with **Set up**.
 */
import { ShieldCheck } from "lucide-react";
import { Suspense, lazy, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { type AuthenticationProps, hasAuthentication } from "./authentication-draft.ts";

const AuthenticationFields = lazy(async () => ({
  default: (await import("./authentication-fields.tsx")).AuthenticationFields,
}));

export function AuthenticationSection(props: AuthenticationProps) {
  const [isAsked, setAsked] = useState(false);
  const isShown = isAsked || hasAuthentication(props.draft) || props.draft.saved !== null;
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 font-medium">
        Authentication<span className="font-normal text-ink-faint"> (optional)</span>
      </legend>
      {isShown ? (
        <Suspense fallback={<Skeleton className="h-40" />}>
          <AuthenticationFields {...props} />
        </Suspense>
      ) : (
        !props.isReadOnly && (
          <Button size="sm" icon={<ShieldCheck />} onClick={() => setAsked(true)}>
            Set up authentication
          </Button>
        )
      )}
    </fieldset>
  );
}
