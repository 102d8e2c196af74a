/** The first question of a webhook's form: whether a URL is called, or a program asks. */
import { RadioCards } from "../../ui/controls.tsx";

interface Props {
  readonly isPulled: boolean;
  /** The other one was chosen. */
  readonly onChange: () => void;
}

export function TargetChoice({ isPulled, onChange }: Props) {
  return (
    <RadioCards
      legend="Target"
      isRow
      options={[
        { value: "url", label: "A URL", help: "It is called with each event." },
        { value: "program", label: "My program asks", help: "Nothing is called; events wait for its questions." },
      ]}
      value={isPulled ? "program" : "url"}
      onChange={onChange}
    />
  );
}
