/** The tags of a webhook below its name in a list. */
import { Badge } from "../../ui/chips.tsx";

export function Tags({ tags = [] }: { readonly tags: readonly string[] | undefined }) {
  if (tags.length === 0) return null;
  return (
    <span className="mt-1 flex flex-wrap gap-1">
      {tags.map((tag) => (
        <Badge key={tag}>
          <bdi className="max-w-56 truncate">{tag}</bdi>
        </Badge>
      ))}
    </span>
  );
}
