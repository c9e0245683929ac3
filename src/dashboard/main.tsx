// The page of `tsbuilder dev` and `tsbuilder replay`. `feed` reads the record over HTTP, `history` makes sense of it, and `views`
// show it. Everything here runs in a browser: only modules without Node's API may be imported from `src/dev`.

import { options, render } from "preact";
import { Feed } from "./feed/feed.ts";
import { tokenOf } from "./views/address.ts";
import { Page } from "./views/page.tsx";
import { showAllCharacters } from "./views/texts.ts";

options.vnode = showAllCharacters;
const feed = new Feed(tokenOf(location.hash));
render(<Page feed={feed} />, document.querySelector("#page")!);
void feed.run();
