import type { MaskedAnswer } from "../conformance/mask-answer.ts";
import { runStory, type Server } from "../conformance/run-story.ts";
import type { Step, Story } from "../conformance/story.ts";

const attempts = 5;

/**
 * Runs a story on a real server. Such a server refuses requests while it takes up a CRD, and ends the connection where its
 * own code panics: then the story says nothing and runs again, each time under another id. So does one that read from a
 * cache what may not have been there yet. Returns undefined if each run said nothing.
 */
export async function runReady(
  real: Server,
  story: Story,
  id: string,
  run: typeof runStory = runStory,
): Promise<MaskedAnswer[] | undefined> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const answers = await answersOf(() => run(real, story, attempt === 1 ? id : `${id}-${attempt}`));
    if (!answers?.every(isReady)) continue;
    if (attempt === attempts || !answers.some((answer, index) => mayBeLate(story.steps[index]!, answer)))
      return answers;
  }
  return undefined;
}

/** A list that needs the cache of a new kind is refused as one too many; an eviction may be, too. */
function isReady({ code, body }: MaskedAnswer): boolean {
  return code !== 503 && !(code === 429 && JSON.stringify(body).includes("storage is (re)initializing"));
}

/** A read of any revision is answered from a cache, which on a busy machine may not know of the last write yet. */
function mayBeLate({ method, path }: Step, { code }: MaskedAnswer): boolean {
  return code === 404 && method === "GET" && /[?&]resourceVersion=0(&|$)/.test(path);
}

/** Undefined if the server ended a connection without an answer. */
async function answersOf(run: () => Promise<MaskedAnswer[]>): Promise<MaskedAnswer[] | undefined> {
  try {
    return await run();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
    return undefined;
  }
}
