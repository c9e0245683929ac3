import { beforeEach, expect, test, vi } from "vitest";
import { showProgress } from "./progress.ts";
import { makeOutput } from "./report.ts";

beforeEach(() => {
  vi.stubEnv("TERM", "xterm");
  return () => vi.unstubAllEnvs();
});

/** Records what is written to a stream. */
function recorder(isTTY: boolean, columns = 60) {
  const written: string[] = [];
  return { written, isTTY, columns, write: (text: string | Uint8Array) => written.push(String(text)) > 0 };
}

const words = "objects are stored in v2";

test("a terminal shows a bar, which the next output replaces", () => {
  const [output, errors] = [recorder(true), recorder(true)];
  const ui = { ...makeOutput(output, errors), isInteractive: true };
  const show = showProgress(ui);
  show({ name: "widgets", done: 100, total: 400, words });
  show({ name: "widgets", done: 400, total: 400, words });
  ui.print("done");
  expect(errors.written.join("").split("\r\u001B[K")).toEqual([
    "widgets [####--------------] 25 %  100 of about 400 objects",
    "widgets [#################] 100 %  400 of about 400 objects",
    "",
  ]);
  expect(output.written).toEqual(["done\n"]);
});

test("a bar fits into the line, and gives way to the numbers where the total is unknown or the line is short", () => {
  const errors = recorder(true, 40);
  const show = showProgress({ ...makeOutput(recorder(true), errors), isInteractive: true });
  show({ name: "widgets.example.com", done: 100, total: 400, words });
  show({ name: "widgets", done: 100, words });
  const shown = errors.written.filter((text) => !text.startsWith("\r"));
  expect(shown).toEqual(["widgets.example.com: 100 of about 400 o", "widgets: 100 objects are stored in v2"]);
});

test("elsewhere there is a line every two seconds", () => {
  const errors = recorder(false);
  let now = 0;
  const show = showProgress({ ...makeOutput(recorder(false), errors), isInteractive: false }, () => now);
  for (; now <= 5000; now += 500) show({ name: "widgets", done: now, total: 5000, words });
  expect(errors.written).toEqual([
    "widgets: 0 of about 5000 objects are stored in v2\n",
    "widgets: 2000 of about 5000 objects are stored in v2\n",
    "widgets: 4000 of about 5000 objects are stored in v2\n",
  ]);
});
