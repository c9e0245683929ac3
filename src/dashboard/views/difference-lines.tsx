import type { DiffLine } from "../history/difference.ts";

interface DifferenceLinesProps {
  readonly lines: readonly DiffLine[];
  readonly label: string;
}

/** A difference, told by signs and not by colours alone. */
export function DifferenceLines({ lines, label }: DifferenceLinesProps) {
  return (
    <pre class="difference" tabIndex={0} aria-label={label}>
      {lines.map(({ sign, text }) => (
        <span class={names[sign]}>{`${sign} ${text}\n`}</span>
      ))}
    </pre>
  );
}

const names = { "+": "added", "-": "removed", " ": "same" } as const;
