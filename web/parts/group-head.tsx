/** In a list of event types, above those of one first word: the name by which a webhook wants all of them. */
interface Props {
  readonly group: string;
  readonly count: number;
}

export function GroupHead({ group, count }: Props) {
  return (
    <li className="px-2 pt-3 pb-1 text-xs font-medium text-ink-soft">
      <code>{group}</code> · {count}
    </li>
  );
}
