import type { Story } from "./story.ts";
/** All stories by the file that holds their recorded answers. */
export declare const chapters: Readonly<Record<string, readonly Story[]>>;
