import { expect, test } from "vitest";
import { withoutHome } from "../../../extension/features/server/without-home.ts";

test.each([
  ["/home/ada", "data in /home/ada/.local and /home/ada", "data in ~/.local and ~"],
  ["C:\\Users\\Ada B", '{"dataDirectory":"C:\\\\Users\\\\Ada B\\\\AppData"}', '{"dataDirectory":"~\\\\AppData"}'],
  ["C:\\Users\\Ada B", "file:///C:/Users/Ada%20B/x and C:/Users/Ada B/y", "file:///~/x and ~/y"],
  ["/", "/srv/data", "/srv/data"],
  ["", "anything", "anything"],
])("of %s nothing is left", (home, text, expected) => {
  expect(withoutHome(text, home)).toBe(expected);
});
