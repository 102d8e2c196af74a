/** The page of one alert or webhook: its form, what its destination goes through, and what was saved meanwhile. */
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { useLocation, useParams } from "wouter";
import type { SavedAnswer } from "../../../src/dashboard/contract/alerts.ts";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { Card } from "../../ui/card.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { ConflictDialog, FormLayout, SaveBar } from "../editor/form-layout.tsx";
import { type Editor, type EditorSubject, useEditor } from "../editor/use-editor.ts";
import { useLeaveGuard } from "../editor/use-leave-guard.tsx";
import { HealthBanner } from "../health/health-banner.tsx";
import { Incidents } from "../incidents/lazy-incidents.tsx";
import { DestinationStatus } from "../webhook/destination.tsx";
import { type AnyOwnerCalls, type OwnerCalls, toOwnerKey } from "./owner-calls.ts";
import { OwnerMenu } from "./owner-menu.tsx";

export interface OwnerEditorProps<Detail> {
  /** `null` for one that was never saved. */
  readonly detail: Detail | null;
  readonly onCreated: (id: string) => void;
}

interface PageProps<Detail, Body> {
  readonly calls: OwnerCalls<Detail, Body>;
  readonly editor: (props: OwnerEditorProps<Detail>) => ReactElement;
}

/** `new` in the address is one that was never saved. */
export function OwnerFormPage<Detail, Body>({ calls, editor: Editor }: PageProps<Detail, Body>) {
  const { label, noun, page } = calls;
  const { id } = useParams<{ id: string }>();
  // Once it is saved a new one has an address of its own; the form with its tests stays as it is.
  const [created, setCreated] = useState<string | null>(null);
  const query = useQuery({
    queryKey: toOwnerKey(calls, id),
    queryFn: () => calls.read(id),
    enabled: id !== "new",
  });
  const [, navigate] = useLocation();
  const onCreated = (newId: string): void => {
    setCreated(newId);
    navigate(`${page}/${newId}`, { replace: true });
  };
  if (id === "new" || id === created) {
    return <Editor key="new" detail={query.data ?? null} onCreated={onCreated} />;
  }
  if (query.data === undefined) {
    return (
      <Page title={label} {...toPlace(calls)}>
        <Card isFlush>
          <Loaded what={`this ${noun}`} query={query}>
            {() => null}
          </Loaded>
        </Card>
      </Page>
    );
  }
  return <Editor key={id} detail={query.data} onCreated={onCreated} />;
}

const toPlace = ({ label, page }: Pick<AnyOwnerCalls, "label" | "page">) => ({
  section: "Settings",
  back: { href: page, label: `${label}s` },
});

/* The editor of one, with what stands around the cards of its form. */

interface SavedOwner extends SavedAnswer {
  readonly name: string;
  readonly destination: DestinationView | null;
}

export interface OwnerEditor<Saved, Draft> extends Editor<Saved, Draft> {
  readonly formRef: RefObject<HTMLFormElement | null>;
  readonly urlRef: RefObject<HTMLInputElement | null>;
}

export function useOwnerEditor<Saved extends SavedAnswer, Draft>(
  subject: EditorSubject<Saved, Draft>,
  detail: Saved | null,
): OwnerEditor<Saved, Draft> {
  const formRef = useRef<HTMLFormElement>(null);
  const urlRef = useRef<HTMLInputElement>(null);
  const isNew = useRef(detail === null);
  useEffect(() => {
    if (isNew.current) urlRef.current?.focus();
  }, []);
  return { ...useEditor(subject, detail, { form: formRef, url: urlRef }), formRef, urlRef };
}

interface FormProps<Saved, Draft> {
  readonly calls: AnyOwnerCalls;
  readonly detail: Saved | null;
  readonly editor: OwnerEditor<Saved, Draft>;
  /** As `DestinationStatus` has it. */
  readonly idleWord: string | null;
  readonly ownersOnly: string | undefined;
  readonly test: ReactNode;
  /** The cards of the form. */
  readonly children: ReactNode;
}

export function OwnerForm<Saved extends SavedOwner, Draft extends { readonly name: string }>(
  props: FormProps<Saved, Draft>,
) {
  const { calls, detail, editor, idleWord, ownersOnly, test, children } = props;
  const { label, noun, page } = calls;
  const { saved, state, phase, isDirty } = editor;
  const leaveGuard = useLeaveGuard(isDirty, { what: named(state.name, noun) });
  const destination = detail?.destination ?? null;
  return (
    <Page
      title={saved?.name ?? `New ${noun}`}
      {...toPlace(calls)}
      aside={detail !== null && <DestinationStatus destination={destination} none={idleWord} />}
      actions={
        detail !== null && (
          <>
            {destination !== null && (
              <LinkButton href={`/deliveries?destination=${destination.id}`}>View deliveries</LinkButton>
            )}
            <OwnerMenu owner={detail} calls={calls} isOnItsPage />
          </>
        )
      }
    >
      {destination !== null && <HealthBanner destination={destination} />}
      <FormLayout
        label={label}
        form={editor.formRef}
        onSave={editor.save}
        beside={test}
        bar={
          <SaveBar phase={phase} isDirty={isDirty} disabledReason={ownersOnly}>
            <LinkButton href={page} tone="quiet">
              {isDirty ? "Cancel" : `Back to ${noun}s`}
            </LinkButton>
          </SaveBar>
        }
      >
        {children}
      </FormLayout>
      {destination !== null && <Incidents destinationId={destination.id} />}
      <ConflictDialog phase={phase} choice={editor.conflict} />
      {leaveGuard}
    </Page>
  );
}

const named = (name: string, noun: string): string => (name.trim() === "" ? `this ${noun}` : `“${name.trim()}”`);
