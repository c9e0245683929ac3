import type { ComponentChildren } from "preact";
import type { RefusedActionError } from "../feed/feed.ts";

/** Why something was refused, by its fields where it has some. */
export function Problem({ problem: { message, hint, causes } }: { readonly problem: RefusedActionError }) {
  return (
    <div class="problem">
      <p>{message}</p>
      {causes.length > 0 && (
        <ul>
          {causes.map(({ field, message: cause }) => (
            <li>
              {field !== undefined && <code>{field}</code>} {cause}
            </li>
          ))}
        </ul>
      )}
      {hint !== undefined && <p>{hint}</p>}
    </div>
  );
}

interface EmptyProps {
  /** Whether there is something that the filter hides. */
  readonly isFiltered: boolean;
  readonly children: ComponentChildren;
}

/** Stands where nothing is to be shown. */
export function Empty({ isFiltered, children }: EmptyProps) {
  return <p class="empty">{isFiltered ? "The filter hides everything." : children}</p>;
}
