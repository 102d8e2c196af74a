/** The log's search box. It goes together with every filter of the log. */
import { SearchInput } from "../search/search-box.tsx";
import { withFilter } from "./filters.ts";

interface Props {
  readonly search: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
}

export const SearchField = ({ search, onChange }: Props) => (
  <SearchInput
    label="Search deliveries"
    value={search.get("q") ?? ""}
    onSearch={(text) => onChange(withFilter(search, "q", text))}
    className="flex-1 basis-32 sm:basis-40 md:max-w-96"
  />
);
