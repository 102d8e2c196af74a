/**
 * A person: every event that has their e-mail address, across sessions, conversations and types of the product's own.
 * A support desk links to `/people#email=…`; without that the address is typed or pasted here.
 */
import { Eraser, Send } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { navigate, useLocationProperty } from "wouter/use-browser-location";
import type { ErasedAnswer } from "../../src/dashboard/contract/people.ts";
import { EraseDialog, ErasedBanner } from "../parts/person/erase-person.tsx";
import { PersonEvents } from "../parts/person/person-events.tsx";
import { isAddress, readEmail } from "../parts/person-href.ts";
import { type SearchStep, useTyped } from "../parts/search/search-box.tsx";
import { useChange, useOwnersOnly } from "../query.ts";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { Field, Input } from "../ui/field.tsx";
import { Page } from "../ui/page.tsx";

export function PeoplePage() {
  const email = useLocationProperty(
    () => readEmail(location.hash),
    () => "",
  );
  return (
    <Page
      title={email === "" ? "People" : email}
      section="Audience"
      description="Everything that one e-mail address has been in: what was sent where, what was not, and why."
    >
      <search>
        <AddressField email={email} />
      </search>
      {email !== "" && <Person key={`person ${email}`} email={email} />}
    </Page>
  );
}

/** Shows what is typed once it is an address and typing has paused, and on Enter. */
function AddressField({ email }: { readonly email: string }) {
  const input = useRef<HTMLInputElement>(null);
  const { text, setText, find } = useTyped(email, show, isWhole);
  useEffect(() => {
    // Whoever comes without an address types one.
    if (email === "") input.current?.focus({ preventScroll: true });
  }, [email]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    find(text);
  };
  return (
    <form onSubmit={submit}>
      <Field label="E-mail address" className="max-w-md">
        {(control) => (
          <Input
            {...control}
            ref={input}
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

const isWhole = (text: string): boolean => isAddress(text.trim());

function show(email: string, step: SearchStep): void {
  if (email !== "") navigate(`${location.pathname}#email=${encodeURIComponent(email)}`, step);
}

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
