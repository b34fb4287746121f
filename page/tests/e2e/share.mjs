/** The tab Share: links, the local network, and print. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import {
  address,
  another,
  axe,
  becomes,
  LINE,
  open,
  python,
  SIZES,
  skip,
  tab,
  until,
  visitor,
  WAIT,
} from "../harness.mjs";

/** `catan-cp page` with these options, and the address that it prints. */
async function command(...options) {
  const child = spawn(
    python.replace(/python[^/]*$/, "catan-cp"),
    ["page", LINE, "--no-browser", "--port", "0", ...options],
    {
      env: { ...process.env, COLUMNS: "100" },
    },
  );
  let said = "";
  const found = await new Promise((resolve, reject) => {
    child.stderr.on("data", (data) => {
      said += data;
      const where = /the page is at (\S+) .*until Ctrl-C\n/.exec(said);
      if (where) resolve(where[1]);
    });
    child.on("exit", () => reject(new Error(said)));
  });
  const end = () =>
    new Promise((resolve) => {
      child.removeAllListeners("exit");
      child.on("exit", () => resolve(said));
      child.kill("SIGINT");
    });
  return { found, end };
}

test("a phone in the local network opens what catan-cp page --lan says, and is told what it cannot do", {
  skip,
}, async (t) => {
  let served;
  try {
    served = await command("--lan");
  } catch (reason) {
    if (/in no network/.test(reason.message)) return t.skip("this machine is in no network");
    throw reason;
  }
  const { found, end } = served;
  assert.match(found, /^http:\/\/[\d.]+:\d+\/[\w-]{12}\/#/);
  const context = await visitor(SIZES.phone);
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(found);
  await page.waitForSelector(".stage[aria-busy=false] .tiles", WAIT);
  await becomes(page, LINE);
  assert.equal(await page.evaluate(() => isSecureContext), false);
  assert.notEqual(await another(page), LINE); // the solver came over the network too
  await tab(page, "Share");
  await page.getByText("Scan the code with a phone in the same network").waitFor();
  await page.getByText("The browser cannot store it").waitFor();
  await page.getByRole("button", { name: "Copy the link" }).click();
  await page.getByText("Browsers copy only from https pages").first().waitFor();
  const link = await page.evaluate(() => location.href);
  await until(() => page.locator(".select").textContent(), link);
  await axe(page, "share without https");
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/lan.png`, fullPage: true });
  await page.goto(new URL("/", found).href);
  assert.match(await page.content(), /404/);
  assert.deepEqual(complaints, []);
  await context.close();
  const said = await end();
  assert.match(said, /for 60 min, or until Ctrl-C/);
  assert.match(said, /[▀▄█]{7}/);
  assert.match(said, /the page is closed/);
});

test("links lead to this computer alone, and say so, or to the public address that was set once", {
  skip,
}, async () => {
  const { page, close } = await open("phone", `#${LINE}`);
  await tab(page, "Share");
  await page.getByText("This link works on this computer only").waitFor();
  await close();
  const address = "https://example.org/boards/";
  process.env.CATAN_CP_PAGE_ADDRESS = address;
  const { found, end } = await command();
  delete process.env.CATAN_CP_PAGE_ADDRESS;
  const context = await visitor({ permissions: ["clipboard-read", "clipboard-write"] });
  const other = await context.newPage();
  await other.goto(found);
  await becomes(other, LINE);
  await tab(other, "Share");
  await other.getByText("Scan the code to open this board on another phone").waitFor();
  await other.getByRole("button", { name: "Copy the link" }).click();
  const copied = () => other.evaluate(() => navigator.clipboard.readText());
  await until(async () => (await copied()).slice(0, address.length + 1 + LINE.length), `${address}#${LINE}`);
  await context.close();
  await end();
});

test("a link with bad parts shows the good part, and what was not understood cut short", {
  skip,
}, async () => {
  const harbors = Array(700).fill("1-2=3").join();
  const rows = LINE.split(":")[0];
  const bad = `&rules=__proto__&keep=junk&vertex_sum_below=${"9".repeat(400)}&a=1&b=2&c=3&d=4`;
  const { page, shot, close } = await open("phone", `#${rows}:${harbors}${bad}`);
  await page.waitForSelector(".problem li", WAIT);
  await shot("bad-link");
  const said = await page.locator(".problem li > span").allTextContents();
  assert.equal(said.length, 6);
  assert.ok(said.every((text) => text.length < 90));
  await page.getByText("and 2 more").waitFor();
  await becomes(page, rows);
  await page.evaluate(() => {
    location.hash = "x".repeat(1_000_000);
  });
  await page.getByText("This link is too long: it has 1000000 characters").waitFor();
  assert.ok((await page.locator(".problem").textContent()).length < 300);
  assert.equal(await page.locator(".stage .tiles").count(), 1);
  await shot("junk");
  await close();
});

test("printed, the board is on one page, or in true size on several", { skip }, async () => {
  const { page, close } = await open("desktop", `#${LINE}`);
  const pages = async (name) => {
    const pdf = await page.pdf({
      format: "A4",
      printBackground: true,
      ...(process.env.SHOTS ? { path: `${process.env.SHOTS}/${name}.pdf` } : {}),
    });
    return pdf.toString("latin1").match(/\/Type \/Page\b/g).length;
  };
  assert.equal(await pages("page"), 1);
  await page.evaluate(() => {
    globalThis.print = () => undefined;
  });
  await tab(page, "Share");
  await page.getByRole("button", { name: "Print in true size" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".sheets .paper").length > 1);
  await page.emulateMedia({ media: "print" });
  const wide = await page.evaluate(() => {
    const tile = document.querySelector(".paper .tiles polygon").getBoundingClientRect();
    return (tile.width / 96) * 25.4;
  });
  assert.ok(Math.abs(wide - 79) < 4, `${wide} mm`);
  assert.equal(await pages("true"), await page.locator(".sheets .paper").count());
  await close();
});

test("a link with a long constraint keeps the page, without a QR code that cannot hold it", {
  skip,
}, async () => {
  const text = Array(900).fill("1 = 1").join(" /\\ ");
  const constraints = encodeURIComponent(JSON.stringify([{ text }]));
  const { page, close } = await open("desktop", `#${LINE}&constraints=${constraints}`);
  const print = async () => (await page.pdf({ format: "A4" })).toString("latin1");
  for (const name of ["Share", "Rules", "Check", "Settle"]) {
    const found = page.getByRole("tab", { name });
    if (!(await found.count())) continue;
    await found.click();
    assert.ok((await page.locator(".panel").textContent()).length > 100, name);
    assert.equal(await page.locator(".stage .tiles").count(), 1);
  }
  await tab(page, "Share");
  assert.equal(await page.locator(".panel .code").count(), 0);
  const plain = await open("desktop", `#${LINE}`);
  const pages = (pdf) => pdf.match(/\/Type \/Page\b/g).length;
  assert.ok((await print()).length > 0.8 * (await plain.page.pdf({ format: "A4" })).length);
  assert.equal(pages(await print()), 1);
  await plain.close();
  await page.reload(); // the next visit, too
  await page.waitForSelector(".stage[aria-busy=false] .tiles", WAIT);
  await close();
});

test("a part of the page that fails keeps the board, and leaves a way out", { skip }, async () => {
  const { page, context } = await open("phone", `#${LINE}`);
  await page.route("**/site.json", (route) =>
    route.fulfill({ json: { address: "https://example.org/page/" } }),
  );
  await page.addInitScript(() => {
    globalThis.TextEncoder = class {
      encode() {
        throw new Error("for the test");
      }
    };
  });
  await page.reload();
  await page.waitForSelector(".stage[aria-busy=false] .tiles", WAIT);
  await tab(page, "Share");
  await page.locator(".panel .wrong").getByText("for the test").waitFor();
  assert.equal(await page.locator(".stage .tiles").count(), 1);
  await tab(page, "Check");
  await page.locator(".verdict").waitFor();
  assert.equal(await page.locator(".panel .wrong").count(), 0);
  await context.close();
});

test("a link for this computer alone has no QR code, on the page and on paper", { skip }, async () => {
  const { page, close } = await open("desktop", `#${LINE}`);
  await tab(page, "Share");
  await page.getByText("This link works on this computer only").waitFor();
  await page.emulateMedia({ media: "print" });
  await page.waitForSelector(".sheets .paper", WAIT);
  assert.equal(await page.locator(".code").count(), 0);
  await close();
});

test("a file of another program is dropped, chosen or pasted, and its opening is reviewed", {
  skip,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "files-"));
  execFileSync(resolve(python), ["-m", "tests.formats.files", folder], { cwd: ".." });
  const rows = "l6w11o6/b3w5b5l4/l8g3g2l9o12/w10w9dg8/o4b11g10:printed";
  const wanted = "&players=3&placed=33.29.8.38.15.46";
  const { page, shot, close } = await open("desktop", `#${LINE}`);
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), "utf8");
    const data = await page.evaluateHandle(
      ([title, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], title));
        return transfer;
      },
      [name, text],
    );
    await page.dispatchEvent(".page", "drop", { dataTransfer: data });
    await becomes(page, rows);
    await until(async () => (await address(page)).endsWith(wanted), true, name);
    await page.evaluate((line) => {
      location.hash = line;
    }, LINE);
    await becomes(page, LINE);
  }
  await tab(page, "Share");
  await page.setInputFiles("input[type=file]", join(folder, "catanlog"));
  await becomes(page, rows);
  await page.getByText("Review", { exact: true }).click();
  await page.locator(".review li").nth(5).waitFor(WAIT);
  const said = await page.locator(".review li").allTextContents();
  assert.match(said[0], /43\.4 % before, 29\.6 % after/);
  assert.match(said[0], /was worth 13\.8 points more/);
  await axe(page, "review");
  await shot("review");
  const broken = readFileSync(join(folder, "catanlog"), "utf8").replace("terrain: ", "terrain: mud ");
  await tab(page, "Share");
  await page.evaluate((text) => {
    const transfer = new DataTransfer();
    transfer.setData("text", text);
    const event = new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true });
    document.querySelector("form input").dispatchEvent(event);
  }, broken);
  await page.getByText("mud").first().waitFor();
  await close();
});
