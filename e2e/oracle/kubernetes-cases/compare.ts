import { compareAnswers } from "../differential/compare-servers.ts";
import { classify } from "../differential/classify.ts";
import { causesOf } from "../differential/without-chance.ts";
import type { MaskedAnswer } from "../conformance/mask-answer.ts";
import type { JudgedCase } from "./judge.ts";
import type { Played } from "./play.ts";

/** How much of kube-apiserver's answer the embedded server gives, from all to nothing. */
export type Level = "same" | "words" | "causes" | "refuses" | "accepts";

/** A case with both answers. */
export interface ComparedCase {
  readonly judged: JudgedCase;
  readonly played: Played;
  readonly level: Level;
  readonly difference?: { readonly name: string };
}

export function compareCase(judged: JudgedCase, played: Played): ComparedCase {
  const { request } = judged;
  const step = { method: request.method, path: request.path, body: request.body };
  const asked = { story: { name: request.kind, steps: [step] }, index: 0, step };
  const { difference } = compareAnswers(asked, judged.answer, played.answer);
  if (!difference) return { judged, played, level: "same" };
  return {
    judged,
    played,
    level: levelOf(judged.answer, played.answer),
    difference: { name: `${request.kind}${request.old ? " update" : ""}: ${classify(difference)}` },
  };
}

function levelOf(real: MaskedAnswer, embedded: MaskedAnswer): Level {
  const [wanted, got] = [real.code < 300, embedded.code < 300];
  if (wanted !== got) return got ? "accepts" : "refuses";
  return real.code === embedded.code && fieldsOf(real) === fieldsOf(embedded) ? "words" : "causes";
}

function fieldsOf(answer: MaskedAnswer): string {
  return causesOf(answer)
    .map(({ field, reason }) => `${field} ${reason}`)
    .sort()
    .join("\n");
}
