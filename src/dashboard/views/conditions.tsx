import type { ShownCondition } from "../history/owner-tree.ts";

/** Conditions in short: a sign tells those that are true from the others, and not the colour alone. */
export function Conditions({ conditions }: { readonly conditions: readonly ShownCondition[] }) {
  return (
    <span class="conditions">
      {conditions.map(({ type, status, reason }) => (
        <span key={type} class={`condition ${status.toLowerCase()}`} title={reason}>
          {signs[status] ?? "?"} {type}
          <span class="hidden"> is {status}</span>
        </span>
      ))}
    </span>
  );
}

const signs: Readonly<Record<string, string>> = { True: "✓", False: "✗" };
