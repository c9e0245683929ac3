import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type * as parts from "./later.ts";

type Later = typeof parts;

/** The parts besides the first view, once the browser has loaded them. */
let loaded: Later | undefined;

export async function later(): Promise<Later> {
  return (loaded ??= await import("./later.ts"));
}

/** Returns a component of `later`, which is empty until that is loaded. */
export function lazy<Name extends Exclude<keyof Later, "objectLines">>(name: Name): Later[Name] {
  const Lazy = (props: object) => {
    const [, setLoaded] = useState(loaded !== undefined);
    useEffect(() => {
      if (loaded === undefined) void later().then(() => setLoaded(true));
    }, []);
    const Content = loaded?.[name] as ComponentType<object> | undefined;
    return Content === undefined ? <p class="empty" /> : <Content {...props} />;
  };
  return Lazy as Later[Name];
}
