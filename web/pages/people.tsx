/**
 * A person: every event that has their e-mail address, across sessions, conversations and types of the product's own.
 * A support desk links to `/people#email=…`; without that the address is typed or pasted here.
 */
import { Eraser, Send } from "lucide-react";
import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { navigate, useLocationProperty } from "wouter/use-browser-location";
import type { ErasedAnswer } from "../../src/dashboard/contract/people.ts";
import { EraseDialog, ErasedBanner } from "../parts/person/erase-person.tsx";
import { PersonEvents } from "../parts/person/person-events.tsx";
import { isAddress, readEmail } from "../parts/person-href.ts";
import { useChange, useOwnersOnly } from "../query.ts";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { Field, Input } from "../ui/field.tsx";
import { Page } from "../ui/page.tsx";
import { useSettled } from "../ui/use-settled.ts";

export function PeoplePage() {
  const email = useLocationProperty(
    () => readEmail(location.hash),
    () => "",
  );
  const input = useRef<HTMLInputElement>(null);
  return (
    <Page
      title={email === "" ? "People" : email}
      section="Audience"
      description="Everything that one e-mail address has been in: what was sent where, what was not, and why."
    >
      <search>
        <AddressField key={email} email={email} inputRef={input} />
      </search>
      {email !== "" && <Person key={`person ${email}`} email={email} />}
    </Page>
  );
}

interface AddressFieldProps {
  readonly email: string;
  readonly inputRef: RefObject<HTMLInputElement | null>;
}

/** Shows what is typed once it is an address and typing has paused, and on Enter. */
function AddressField({ email, inputRef }: AddressFieldProps) {
  const [text, setText] = useState(email);
  const settled = useSettled(text);
  const show = (typed: string): void => {
    if (typed !== "" && typed !== email) navigate(`${location.pathname}#email=${encodeURIComponent(typed)}`);
  };
  useEffect(() => {
    // Whoever comes without an address types one; whoever has typed one goes on typing.
    if (email === "" || wasTyped) inputRef.current?.focus({ preventScroll: true });
    wasTyped = false;
  }, [email, inputRef]);
  const typed = settled.trim();
  useEffect(() => {
    if (!isAddress(typed) || typed === email) return;
    wasTyped = true;
    navigate(`${location.pathname}#email=${encodeURIComponent(typed)}`, { replace: email !== "" });
  }, [typed, email]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    wasTyped = true;
    show(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <Field label="E-mail address" className="max-w-md">
        {(control) => (
          <Input
            {...control}
            ref={inputRef}
            type="search"
            inputMode="email"
            autoComplete="off"
            spellCheck={false}
            maxLength={320}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    </form>
  );
}

let wasTyped = false;

type States = ("pending" | "failed" | "cancelled" | "delivered")[];

const ALL: States = ["pending", "failed", "cancelled", "delivered"];
const NOT_ARRIVED: States = ["pending", "failed", "cancelled"];

function Person({ email }: { readonly email: string }) {
  const ownersOnly = useOwnersOnly("send again and erase");
  const [isErasing, setErasing] = useState(false);
  const [erased, setErased] = useState<Omit<ErasedAnswer, "next"> | null>(null);
  const [, go] = useLocation();
  const replay = useChange("POST /people/replays", "GET /replays");
  // Nothing is sent yet: the next page says how many, and asks.
  const prepare = (states: States): void =>
    replay.mutate({ body: { email, states } }, { onSuccess: ({ id }) => go(`/replays/${id}`) });
  const isSending = (states: States): boolean => replay.isPending && replay.variables.body.states === states;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          icon={<Send />}
          disabledReason={ownersOnly}
          isBusy={isSending(NOT_ARRIVED)}
          onClick={() => prepare(NOT_ARRIVED)}
        >
          Send again what did not arrive…
        </Button>
        <Button icon={<Send />} disabledReason={ownersOnly} isBusy={isSending(ALL)} onClick={() => prepare(ALL)}>
          Send again everything…
        </Button>
        <Button icon={<Eraser />} disabledReason={ownersOnly} onClick={() => setErasing(true)}>
          Erase this person…
        </Button>
      </div>
      {replay.error !== null && <Banner tone="warn" role="alert" title={replay.error.message} />}
      {erased !== null && <ErasedBanner erased={erased} />}
      <PersonEvents email={email} />
      <EraseDialog email={email} isOpen={isErasing} onClose={() => setErasing(false)} onErased={setErased} />
    </>
  );
}
