import { type Story } from "../story.ts";
export declare const create: readonly Story[];
