import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { revisionAt } from "../history/history.ts";
import { KindIcon } from "./outcomes.tsx";
import { type Shown, type View, usePage, views } from "./shown.ts";
import { matcher } from "./texts.ts";

/** The keys of the page, as the help lists them. */
const keys = [
  ["1 to 5", "the views, from left to right"],
  ["/", "the filter: words, kind:Pod, ns:shop, is:failing, is:progress, is:ready"],
  ["Ctrl+K", "go to a view or an object by its name"],
  ["[ and ]", "one change back, one change forward"],
  ["n", "now"],
  ["?", "these keys"],
  ["Alt+← and Alt+→", "back and forward through what you looked at"],
] as const;

interface Choice {
  readonly text: string;
  readonly kind: string;
  readonly to: Partial<Shown>;
}

/** The number of choices that are offered. */
const mostChoices = 12;

/** The keys of the whole page: those that go somewhere, the palette and the help. */
export function Keys({ titles }: { readonly titles: Readonly<Record<View, string>> }) {
  const { feed, show, moment } = usePage();
  const palette = useRef<HTMLDialogElement>(null);
  const help = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState<string>();
  const choices = useMemo((): Choice[] => {
    if (words === undefined) return [];
    const matches = matcher(words, feed.history);
    const places = views.map((view) => ({ text: titles[view], kind: "", to: { view } }));
    const objects = [...feed.history.tracks.values()].map(({ place, key, revisions }) => {
      const { kind } = revisions[0]!.object;
      return { text: `${kind} ${key}`, kind, key, to: { view: "objects", place } as const };
    });
    return [...places, ...objects].filter((one) => matches(one.text, one)).slice(0, mostChoices);
  }, [words, feed.history, titles]);
  const go = ({ to }: Choice): void => {
    const track = to.place === undefined ? undefined : feed.history.tracks.get(to.place);
    // An object that is gone is shown in its last changes.
    show({ ...to, ...(track && revisionAt(track, moment) === undefined && { tab: "changes" }) });
    palette.current?.close();
  };
  useEffect(() => {
    const step = (by: 1 | -1): void => {
      const next = feed.history.nextMoment(moment, by);
      if (next !== undefined) show({ moment: next >= feed.history.to ? undefined : next });
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, target } = event;
      const isTyping =
        target instanceof HTMLElement && target.matches("input:not([type=range]), textarea, select");
      const actions: Readonly<Record<string, () => void>> = {
        "/": () => document.querySelector<HTMLInputElement>(".filter input")?.focus(),
        "?": () => help.current?.showModal(),
        "[": () => step(-1),
        "]": () => step(1),
        n: () => show({ moment: undefined }),
        ...Object.fromEntries(views.map((view, index) => [String(index + 1), () => show({ view })])),
      };
      const isPalette = (event.ctrlKey || event.metaKey) && key === "k";
      const action = isPalette
        ? () => {
            setWords("");
            palette.current?.showModal();
          }
        : event.ctrlKey || event.metaKey || event.altKey || isTyping || document.querySelector("dialog[open]")
          ? undefined
          : actions[key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [feed, moment, show]);
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => help.current?.showModal()}
      >
        ?
      </button>
      <dialog ref={palette} class="palette" aria-label="Go to" onClose={() => setWords(undefined)}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (choices[0]) go(choices[0]);
          }}
        >
          <input
            type="search"
            aria-label="Where to"
            placeholder="a view, or an object"
            value={words ?? ""}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        </form>
        <ul>
          {choices.map((choice) => (
            <li key={`${choice.text} ${choice.to.place}`}>
              <button type="button" class="quiet" onClick={() => go(choice)}>
                {choice.kind !== "" && <KindIcon kind={choice.kind} />} {choice.text}
              </button>
            </li>
          ))}
        </ul>
      </dialog>
      <dialog ref={help} aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <table>
          <tbody>
            {keys.map(([key, what]) => (
              <tr key={key}>
                <th scope="row">
                  <kbd>{key}</kbd>
                </th>
                <td>{what}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p class="buttons">
          <button type="button" autoFocus onClick={() => help.current?.close()}>
            Close
          </button>
        </p>
      </dialog>
    </>
  );
}
