/** The page of one alert or webhook: its form, what its destination goes through, and what was saved meanwhile. */
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { useLocation, useParams, useSearch } from "wouter";
import type { DestinationView } from "../../../src/dashboard/contract/destinations.ts";
import { Banner } from "../../ui/banner.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { LoadedCards } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { ConflictDialog, FormLayout, SaveBar } from "../editor/form-layout.tsx";
import type { StoredForm } from "../editor/form-state.ts";
import { type Editor, type EditorSubject, useEditor } from "../editor/use-editor.ts";
import { ResumedBanner } from "../editor/resumed-banner.tsx";
import { useLeaveGuard } from "../editor/use-leave-guard.tsx";
import { HealthBanner } from "../health/health-banner.tsx";
import { OrderBanner } from "../health/lazy-order-banner.tsx";
import { useSession } from "../../query.ts";
import { copyDraft, type HasWebhook, listMissingSecrets } from "../webhook/draft.ts";
import { DestinationStatus } from "../webhook/destination.tsx";
import { type AnyOwnerCalls, type OwnerCalls, toOwnerKey, toPlace } from "./owner-calls.ts";
import { OwnerMenu } from "./owner-menu.tsx";
import { findFreeName } from "./propose-name.ts";

export interface OwnerEditorProps<Detail> {
  /** `null` for one that was never saved. */
  readonly detail: Detail | null;
  readonly onCreated: (id: string) => void;
  /** What a new one is a copy of, and its name; `null` for one from scratch. */
  readonly copy: Copy<Detail> | null;
}

interface Copy<Detail> {
  readonly of: Detail;
  readonly name: string;
}

interface PageProps<Detail, Body> {
  readonly calls: OwnerCalls<Detail, Body>;
  readonly editor: (props: OwnerEditorProps<Detail>) => ReactElement;
}

/** An address without an id is of one that was never saved. */
export function OwnerFormPage<Detail extends SavedOwner, Body>({ calls, editor: Editor }: PageProps<Detail, Body>) {
  const { label, noun, page } = calls;
  const { id = "new" } = useParams<{ id?: string }>();
  // Once it is saved a new one has an address of its own; the form with its tests stays as it is.
  const [created, setCreated] = useState<{ readonly id: string; readonly key: string } | null>(null);
  const asked = new URLSearchParams(useSearch()).get("from");
  const from = id === "new" ? asked : null;
  const query = useQuery({
    queryKey: toOwnerKey(calls, id),
    queryFn: () => calls.read(id),
    enabled: id !== "new",
  });
  const [, navigate] = useLocation();
  const onCreated = (newId: string): void => {
    setCreated({ id: newId, key: toKey(from) });
    navigate(`${page}/${newId}/edit`, { replace: true });
  };
  const charsMax = useSession().limits[calls.nameCharsMax];
  const copied = useQuery({
    queryKey: ["copy", calls.one, from],
    queryFn: async () => {
      const [of, taken] = await Promise.all([calls.read(from ?? ""), calls.readNames()]);
      return { of, name: findFreeName(`Copy of ${of.name}`, { taken, charsMax }) };
    },
    enabled: from !== null,
    gcTime: 0,
    // What is typed into the copy is not asked for again.
    staleTime: Infinity,
  });
  if (id === created?.id || (id === "new" && (from === null || copied.data !== undefined))) {
    const key = id === created?.id ? created.key : toKey(from);
    return <Editor key={key} detail={query.data ?? null} onCreated={onCreated} copy={copied.data ?? null} />;
  }
  if (query.data === undefined) {
    return (
      <Page title={label} {...toPlace(calls)}>
        {from === null ? (
          <LoadedCards what={`this ${noun}`} query={query}>
            {() => null}
          </LoadedCards>
        ) : (
          <LoadedCards what={`the ${noun} to copy`} query={copied}>
            {() => null}
          </LoadedCards>
        )}
      </Page>
    );
  }
  return <Editor key={id} detail={query.data} onCreated={onCreated} copy={null} />;
}

const toKey = (from: string | null): string => `new ${from ?? ""}`;

/* The editor of one, with what stands around the cards of its form. */

interface SavedOwner extends StoredForm {
  readonly name: string;
  readonly destination: DestinationView | null;
}

interface OwnerDraft extends HasWebhook {
  readonly name: string;
}

export interface OwnerEditor<Saved, Draft> extends Editor<Saved, Draft> {
  readonly formRef: RefObject<HTMLFormElement | null>;
  readonly urlRef: RefObject<HTMLInputElement | null>;
  /** The secrets of a copy that have to be typed again, by their names. */
  readonly missing: readonly string[];
}

export function useOwnerEditor<Saved extends SavedOwner, Draft extends OwnerDraft>(
  subject: EditorSubject<Saved, Draft>,
  detail: Saved | null,
  copy: Copy<Saved> | null,
): OwnerEditor<Saved, Draft> {
  const formRef = useRef<HTMLFormElement>(null);
  const urlRef = useRef<HTMLInputElement>(null);
  const isNew = useRef(detail === null);
  useEffect(() => {
    if (isNew.current) urlRef.current?.focus();
  }, []);
  const [start] = useState(() => (copy === null ? undefined : copyState(subject, copy)));
  const editor = useEditor(subject, detail, { form: formRef, url: urlRef, start });
  const missing =
    start === undefined || editor.isResumed || editor.stored !== null ? [] : listMissingSecrets(editor.state.webhook);
  return { ...editor, formRef, urlRef, missing };
}

function copyState<Saved, Draft extends OwnerDraft>(
  subject: EditorSubject<Saved, Draft>,
  { of, name }: Copy<Saved>,
): Draft {
  const draft = subject.toState(of, null);
  return { ...subject.withWebhook(draft, copyDraft(draft.webhook)), name };
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
  const leaveGuard = useLeaveGuard(isDirty, { what: named(state.name, noun), phase });
  const destination = detail?.destination ?? null;
  return (
    <Page
      title={saved?.name ?? `New ${noun}`}
      {...toPlace(calls)}
      {...(saved !== null && { back: { href: `${page}/${saved.id}`, label: saved.name } })}
      aside={detail !== null && <DestinationStatus destination={destination} none={idleWord} />}
      actions={detail !== null && <OwnerMenu owner={detail} calls={calls} isOnItsPage />}
    >
      {destination !== null && <HealthBanner destination={destination} />}
      {destination !== null && <OrderBanner destination={destination} />}
      <ResumedBanner editor={editor} />
      {editor.missing.length > 0 && (
        <Banner tone="info" title="Saved secrets are not copied">
          Enter them again for this {noun}: {editor.missing.join(", ")}.
        </Banner>
      )}
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
      <ConflictDialog phase={phase} choice={editor.conflict} />
      {leaveGuard}
    </Page>
  );
}

const named = (name: string, noun: string): string => (name.trim() === "" ? `this ${noun}` : `“${name.trim()}”`);
