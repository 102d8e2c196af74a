/** The filters of now get a name, or another one. */
import { type FormEvent, useState } from "react";
import { useSession } from "../../query.ts";
import { Button } from "../../ui/button.tsx";
import { Field, Input } from "../../ui/field.tsx";

interface Props {
  /** What it is called now. */
  readonly name: string | undefined;
  readonly help: string;
  readonly onSave: (name: string) => void;
}

export function NewView({ name: before, help, onSave }: Props) {
  const { viewNameCharsMax } = useSession().limits;
  const [name, setName] = useState(before ?? "");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== "") onSave(name.trim());
  };
  return (
    <form onSubmit={submit} className="mt-1 space-y-2 border-t border-line p-2">
      <Field label="Name of this view" help={help}>
        {(control) => (
          <Input
            {...control}
            value={name}
            maxLength={viewNameCharsMax}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" size="sm">
        {before === undefined ? "Save view" : "Rename view"}
      </Button>
    </form>
  );
}
