/**
 * The page behind the links of e-mails. It asks its reader what they want, signed in or not. To open the page changes
 * nothing, because programs that look for bad links open them too.
 */
import { LoaderCircle, Mail } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useParams } from "wouter";
import { BRAND_NAME } from "../brand.ts";
import type { MailLinkAnswer } from "../../src/dashboard/contract/failure-mail.ts";
import { useChange } from "../query.ts";
import { Brand } from "../shell/navigation.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";

export function MailLinkPage() {
  const { token } = useParams<{ token: string }>();
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center px-5 py-10">
      <title>{`E-mail about failures · ${BRAND_NAME}`}</title>
      <div className="mb-6 self-center">
        <Brand />
      </div>
      <div className="rounded-xl border border-line bg-surface px-6 py-6 shadow-card">
        <Question token={token} />
      </div>
    </main>
  );
}

function Question({ token }: { readonly token: string }) {
  const looked = useLook(token);
  const { mutate, data: decided, error, isPending, variables } = useChange("POST /mail-link/use");
  const link = decided ?? looked.data;
  if (looked.error !== null) return <Refused problem={looked.error} onRetry={looked.look} />;
  if (link === undefined) {
    return (
      <p role="status" className="flex items-center justify-center gap-2.5 py-4 text-ink-soft">
        <LoaderCircle aria-hidden="true" className="size-4 animate-spin" />
        Reading the link
      </p>
    );
  }
  const { title, text, action, verb } = toWords(link);
  return (
    <>
      <Title>{title}</Title>
      <p className="mt-1 text-ink-soft [overflow-wrap:anywhere]" role={decided === undefined ? undefined : "status"}>
        {text}
      </p>
      <dl className={FACTS}>
        <dt>Account</dt>
        <dd>{link.accountName}</dd>
        <dt>Address</dt>
        <dd>{link.address}</dd>
      </dl>
      {error !== null && <Banner tone="warn" role="alert" className="mt-4" title={error.message} />}
      {action !== null && (
        <Button
          tone={action === "start" ? "plain" : "primary"}
          className="mt-5"
          isBusy={isPending && variables.body.action === action}
          onClick={() => mutate({ body: { token, action } })}
        >
          {verb}
        </Button>
      )}
    </>
  );
}

const FACTS =
  "mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm [&_dd]:[overflow-wrap:anywhere] " +
  "[&_dt]:text-ink-soft";

interface Words {
  readonly title: string;
  readonly text: string;
  /** The button's action; `null` when there is nothing to decide. */
  readonly action: "confirm" | "stop" | "start" | null;
  readonly verb: string;
}

const NOTHING = { action: null, verb: "" } as const;

function toWords({ purpose, state, isRemoved }: MailLinkAnswer): Words {
  if (isRemoved && purpose === "confirm") {
    return { title: "This question is closed", text: "The account has taken this address off its list.", ...NOTHING };
  }
  if (purpose === "confirm") {
    if (state === "confirmed") {
      const text =
        "This address gets an e-mail when webhooks of the account fail. Each e-mail has a link to stop them.";
      return { title: "Confirmed", text, ...NOTHING };
    }
    const text =
      "The account wants to tell this address when its webhooks fail, by one e-mail in 15 minutes at most. If you do " +
      "not know the account, close this page: then no e-mails come.";
    return { title: "Do you want these e-mails?", text, action: "confirm", verb: "Confirm" };
  }
  if (state !== "stopped") {
    const text = "The account sends nothing more to this address, and cannot ask it again.";
    return { title: "Stop these e-mails?", text, action: "stop", verb: "Stop e-mails" };
  }
  const text = "This account sends nothing to this address any more.";
  if (isRemoved) return { title: "E-mails are stopped", text, ...NOTHING };
  return { title: "E-mails are stopped", text, action: "start", verb: "Start them again" };
}

/** Once, also in development, where effects run twice. */
function useLook(token: string) {
  const { mutate, data, error } = useChange("POST /mail-link");
  const isLooked = useRef(false);
  const look = (): void => mutate({ body: { token } });
  useEffect(() => {
    if (isLooked.current) return;
    isLooked.current = true;
    look();
    // A link is looked at when the page opens, and by nothing that happens later.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  return { data, error, look };
}

function Refused({ problem, onRetry }: { readonly problem: Error; readonly onRetry: () => void }) {
  return (
    <>
      <Title>This link cannot be used</Title>
      <Banner tone="warn" role="alert" className="mt-3" title={problem.message} />
      <Button className="mt-4" onClick={onRetry}>
        Try again
      </Button>
    </>
  );
}

function Title({ children }: { readonly children: ReactNode }) {
  return (
    <div className="flex items-center gap-2.5">
      <Mail aria-hidden="true" className="size-5 text-accent" />
      <h1 className="text-lg font-semibold">{children}</h1>
    </div>
  );
}
