import type { Role } from "../../protocol/hosted-accounts.ts";
import type { Mail } from "./mailer.ts";

/** A mail with a link to sign in. @param minutes for which the link works */
export function signInMail({ to, link, minutes }: { to: string; link: string; minutes: number }): Mail {
  return {
    to,
    subject: "Sign in to Citewell",
    text: paragraphs(
      `Open this page and press "Sign in". The link works once, within ${minutes} minutes:`,
      link,
      "If you did not request this mail, ignore it. Do not forward it: the link signs its visitor in to your account.",
    ),
  };
}

/** A mail with a link to set a password. @param minutes for which the link works */
export function passwordMail({ to, link, minutes }: { to: string; link: string; minutes: number }): Mail {
  return {
    to,
    subject: "Set a new password for Citewell",
    text: paragraphs(
      `This page sets a new password for your account. The link works once, within ${minutes} minutes:`,
      link,
      "If you did not request this mail, someone else is signed in to your account: set a new password, which signs them out.",
    ),
  };
}

/** An invitation to a project. @param days for which the link works */
export function invitationMail({
  to,
  link,
  project,
  role,
  by,
  days,
}: {
  to: string;
  link: string;
  project: string;
  role: Role;
  /** The address of the owner who invites. */
  by: string;
  days: number;
}): Mail {
  return {
    to,
    subject: `${by} invites you to ${project} on Citewell`,
    text: paragraphs(
      `Citewell answers questions about your team's code, with citations of the lines. This page makes you ${role === "member" ? "a" : "an"} ${role} of the project ${project}. The link works once, within ${days} days:`,
      link,
      `Questions? Write to ${by}.`,
    ),
  };
}

function paragraphs(...texts: string[]): string {
  return `${texts.join("\n\n")}\n`;
}
