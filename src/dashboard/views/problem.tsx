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
