import { type Shown, type Tab, type View, initialChoices, tabs, views } from "./shown.ts";

/**
 * Returns the address of the choices: the token, which stays first so that a reload works, then what differs from the first view.
 * Everything stands behind the `#`, which browsers send to nobody.
 */
export function addressOf(token: string, shown: Shown): string {
  const { stretch, moment, everything } = shown;
  const members = {
    ...Object.fromEntries(
      texts.map((name) => [name, shown[name] === initialChoices[name] ? undefined : shown[name]]),
    ),
    at: moment && new Date(moment).toISOString(),
    stretch: stretch && `${Math.round(stretch.from)}-${Math.round(stretch.to)}`,
    everything: everything ? "yes" : undefined,
  };
  const set = Object.entries(members).flatMap(([name, value]) =>
    value ? [`&${name}=${encodeURIComponent(value)}`] : [],
  );
  return `#${token}${set.join("")}`;
}

/** The time in milliseconds after which the address follows what is typed or dragged: browsers limit how often it changes. */
const addressPause = 300;

/** Writes choices to the address of the page, each click as a step that the browser's Back takes back. */
export class AddressBar {
  readonly #location: Pick<Location, "hash">;
  readonly #history: Pick<History, "pushState" | "replaceState">;
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(location: Pick<Location, "hash">, history: Pick<History, "pushState" | "replaceState">) {
    this.#location = location;
    this.#history = history;
  }

  write(before: Shown, next: Shown, isStep: boolean): void {
    const [old, address] = [before, next].map((shown) => addressOf(tokenOf(this.#location.hash), shown));
    const isLate = this.#pause !== undefined;
    this.forget();
    if (isStep && old !== address) {
      // What was typed just before the click belongs to the step that Back leads to.
      if (isLate) this.#history.replaceState(undefined, "", old);
      this.#history.pushState(undefined, "", address);
    } else
      this.#pause = setTimeout(() => {
        this.#pause = undefined;
        this.#history.replaceState(undefined, "", address);
      }, addressPause);
  }

  /** Drops what is not written yet. */
  forget(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
  }
}

/** The choices that are texts. */
const texts = ["view", "place", "tab", "reconcileID", "callID", "filter"] as const;

/** Returns the token of an address. */
export function tokenOf(hash: string): string {
  return hash.slice(1).split("&")[0]!;
}

/** Reads the choices of an address; what it does not say, or says wrongly, is as in the first view. */
export function choicesOf(hash: string): Shown {
  const members = new URLSearchParams(hash.slice(1 + tokenOf(hash).length));
  const text = (name: string): string | undefined => members.get(name) ?? undefined;
  const at = Date.parse(text("at") ?? "");
  const [from, to] = (text("stretch") ?? "").split("-").map(Number);
  return {
    view: views.find((view: View) => view === text("view")) ?? initialChoices.view,
    place: text("place"),
    tab: tabs.find((tab: Tab) => tab === text("tab")) ?? initialChoices.tab,
    reconcileID: text("reconcileID"),
    callID: text("callID"),
    moment: Number.isNaN(at) ? undefined : at,
    stretch: from! < to! ? { from: from!, to: to! } : undefined,
    filter: text("filter") ?? "",
    everything: text("everything") === "yes",
  };
}
