/** Our name with its mark: a bell, and the wire it rings. */
import { Link } from "wouter";

export function Brand() {
  return (
    <Link href="/" aria-label="Bellwire, overview" className="flex items-center gap-2 rounded-md font-semibold">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-7">
        <rect width="32" height="32" rx="8" className="fill-accent-solid" />
        <g fill="none" className="stroke-on-solid" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round">
          <path d="M10 20.5c1.3-1.4 1.7-2.9 1.7-5.3a4.3 4.3 0 0 1 8.6 0c0 2.4.4 3.9 1.7 5.3Z" />
          <path d="M14.2 24h3.6" />
          <path d="M6.8 13.2a9.5 9.5 0 0 1 2.6-5M25.2 13.2a9.5 9.5 0 0 0-2.6-5" opacity="0.7" />
        </g>
      </svg>
      <span className="text-lg tracking-tight">Bellwire</span>
    </Link>
  );
}
