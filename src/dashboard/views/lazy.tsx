import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

type Later = typeof import("./later.ts");

/** The parts besides the first view, once the browser has loaded them. */
let loaded: Later | undefined;

export async function later(): Promise<Later> {
  return (loaded ??= await import("./later.ts"));
}

/** Returns a component of `later`, which is empty until that is loaded. */
export function lazy<Props extends object = Record<never, never>>(name: Exclude<keyof Later, "objectLines">) {
  return function Lazy(props: Props) {
    const [, setLoaded] = useState(loaded !== undefined);
    useEffect(() => {
      if (loaded === undefined) void later().then(() => setLoaded(true));
    }, []);
    const Content = loaded?.[name] as ComponentType<Props> | undefined;
    return Content === undefined ? <p class="empty" /> : <Content {...props} />;
  };
}
