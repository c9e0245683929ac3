import { type Story } from "../story.ts";
export declare const lists: readonly Story[];
