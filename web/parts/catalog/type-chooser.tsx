/** One event type of several, open below or beside its name: tabs where they are few, a list with a search else. */
import clsx from "clsx";
import { Fragment, type ReactNode, useState } from "react";
import { Card } from "../../ui/card.tsx";
import { Input } from "../../ui/field.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { eventLabel } from "../event-words.ts";
import { GroupHead } from "../group-head.tsx";
import { groupTypes } from "../group-types.ts";

interface Choice {
  readonly type: string;
  /** Of its tab. */
  readonly label: string;
}

interface Props {
  /** The subject, for screen readers. */
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: string;
  readonly onChange: (type: string) => void;
  /** What is shown of a type. */
  readonly children: (type: string) => ReactNode;
}

/** As many as stand beside each other on a phone. */
const TABS_MAX = 3;

export function TypeChooser({ label, choices, chosen, onChange, children }: Props) {
  if (choices.length <= TABS_MAX) {
    const tabs = choices.map((each) => ({ id: each.type, label: each.label, content: children(each.type) }));
    return <Tabs label={label} value={chosen} onChange={onChange} tabs={tabs} />;
  }
  return (
    <div className="grid grid-cols-1 items-start gap-5 lg:grid-cols-[15rem_minmax(0,1fr)]">
      <TypeList {...{ label, choices, chosen, onChange }} />
      {/* One type's form must not keep what was written for another. */}
      <div key={chosen} className="min-w-0">
        {children(chosen)}
      </div>
    </div>
  );
}

function TypeList({ label, choices, chosen, onChange }: Omit<Props, "children">) {
  const [text, setText] = useState("");
  const words = text.toLowerCase().split(/\s+/);
  const found = choices.filter((each) =>
    words.every((word) => `${eventLabel(each.type)} ${each.type}`.toLowerCase().includes(word)),
  );
  return (
    <Card isFlush className="lg:sticky lg:top-7">
      <div className="p-3">
        <Input
          type="search"
          aria-label={`Search ${label.toLowerCase()}`}
          placeholder="Search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          spellCheck={false}
        />
      </div>
      <ul
        aria-label={label}
        className="max-h-56 overflow-y-auto px-2 pb-2 lg:max-h-[calc(100dvh-12rem)]
        lg:in-data-embed:max-h-none"
      >
        {groupTypes(found).map(({ group, types }) => (
          <Fragment key={group}>
            {group !== null && <GroupHead group={group} count={types.length} />}
            {types.map((each) => (
              <li key={each.type}>
                <button
                  type="button"
                  aria-current={each.type === chosen}
                  onClick={() => onChange(each.type)}
                  className={clsx(
                    "block w-full rounded-md px-2 py-1.5 text-left [overflow-wrap:anywhere] hover:bg-sunken",
                    each.type === chosen ? "bg-sunken font-medium text-ink" : "text-ink-soft",
                  )}
                >
                  <span className="block">{eventLabel(each.type)}</span>
                  <code className="block text-sm font-normal text-ink-soft">{each.type}</code>
                </button>
              </li>
            ))}
          </Fragment>
        ))}
      </ul>
      <p role="status" className={clsx("px-4 pb-3 text-ink-soft", found.length > 0 && "sr-only")}>
        {found.length === 0 ? "No type has these words." : `${found.length} of ${choices.length}`}
      </p>
    </Card>
  );
}
