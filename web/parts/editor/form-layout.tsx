/**
 * The layout of a form with a test. The sections stand one below the other, the test with its result stands beside them
 * where there is room and below them where there is none, and the bar with Save ends the form. A new section of a form
 * is one more child.
 */
import type { ReactNode, RefObject } from "react";

interface Props {
  /** For readers of the screen: the subject of the form. */
  readonly label: string;
  readonly form: RefObject<HTMLFormElement | null>;
  readonly onSave: () => Promise<void>;
  /** The sections, top to bottom. */
  readonly children: ReactNode;
  /** The test. Nothing, where there is none to send. */
  readonly beside: ReactNode;
  /** The bar with Save. */
  readonly bar: ReactNode;
}

export function FormLayout({ label, form, onSave, children, beside, bar }: Props) {
  return (
    <form
      ref={form}
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        void onSave();
      }}
      className="@container"
    >
      <div className="grid gap-5 max-w-3xl @4xl:max-w-none @4xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="min-w-0 space-y-5">{children}</div>
        {/* A long result scrolls by itself: its button, the fields and Save stay where they are. */}
        <div
          className="min-w-0 @4xl:sticky @4xl:top-4 @4xl:max-h-(--beside-height) @4xl:self-start
            @4xl:overflow-y-auto"
        >
          {beside}
        </div>
      </div>
      {bar}
    </form>
  );
}
