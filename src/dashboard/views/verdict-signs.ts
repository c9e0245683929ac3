import type { Verdict } from "../history/verdict.ts";

/** A sign for each verdict, for who can't tell the colours apart. */
export const verdictSigns: Readonly<Record<Verdict, string>> = {
  allowed: "✓",
  converted: "⇄",
  patched: "±",
  ignored: "!",
  denied: "⊘",
  failed: "✗",
};
