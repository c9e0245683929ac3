import type { LineKeeper } from "../dev/record/record-line.ts";
import type { SessionView } from "../dev/view/session-view.ts";
import { TsbuilderError } from "../shared/errors.ts";
import type { Ui } from "./ui.ts";

/** The formats of what dev prints. */
export const devFormats = ["text", "json"] as const;

interface ViewChoice {
  readonly plain: boolean;
  readonly output: string;
}

/** How a session is shown, and what gets the lines of its record. */
interface OpenView {
  readonly view: SessionView;
  readonly printed?: LineKeeper | undefined;
}

/** Programs get nothing but lines, so nobody can be asked, and there is no screen. */
export function uiFor({ plain, output }: ViewChoice, ui: Ui): Ui {
  if (output !== "json") return ui;
  if (!plain) return { ...ui, isInteractive: false };
  throw new TsbuilderError("--plain and --output json are mutually exclusive", {
    code: "INVALID_ARGUMENT",
    hint: "omit --plain: with --output json, only lines of JSON are printed to standard output",
  });
}

/** Opens the screen, or prints lines: for people, or for programs those of the record. */
export async function openView(
  { plain, output }: ViewChoice,
  ui: Ui,
  project: { readonly title: string; readonly root: string },
  describe: (error: unknown) => string,
): Promise<OpenView> {
  if (ui.isInteractive && !plain && process.env["TERM"] !== "dumb") {
    const { openScreen } = await import("../dev/view/open-screen.ts");
    return { view: openScreen({ input: process.stdin, output: process.stdout }, project, describe) };
  }
  const { plainView } = await import("../dev/view/session-view.ts");
  if (output !== "json") return { view: plainView((text) => ui.print(text), project.root, describe) };
  const { printedLines } = await import("../dev/record/record-line.ts");
  const view = plainView((text) => ui.note(text), project.root, describe);
  // The record tells the rest; errors are for people, too.
  const report: SessionView["report"] = (event) => event.type === "error" && view.report(event);
  return { view: { ...view, report }, printed: printedLines((line) => ui.print(line)) };
}
