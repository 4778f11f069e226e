"""A third party's variant in the owner's table: same cases, same inputs, same check."""

from run import GpubenchTest, main, plugin

OWNER, GUEST = plugin("ok_vector"), plugin("ok_second")


class Guest(GpubenchTest):
    def table(self, *order):
        out = f"o{len(list(self.dir.iterdir()))}"
        args = [a for p in order for a in ("--plugin", p)]
        self.ok(*args, "--verify-only", "--preset", "large", "--out", out)
        return self.by_variant(self.dir / out)

    def test_in_any_order(self):
        tables = [self.table(OWNER, GUEST), self.table(GUEST, OWNER)]
        views = [{v: (r["plugin"], r["provider"], r["plugin_version"], r["case_key"], r["baseline"], r["status"]) for v, r in t.items()}
                 for t in tables]
        self.assertEqual(views[0], views[1])
        self.assertEqual(set(views[0]), {"plain", "twice", "blocked", "quarter", "plain@second"})
        self.assertEqual(views[0]["quarter"][:3], ("vector", "second", "2.0.0"))
        self.assertEqual(views[0]["plain"][:3], ("vector", "vector", "1.0.0"))
        self.assertEqual(views[0]["plain@second"][4], "plain")
        self.assertEqual({v[5] for v in views[0].values()}, {"ok"})

    def test_compared_in_the_same_run(self):
        self.ok("--plugin", OWNER, "--plugin", GUEST, "--quick", "--preset", "large", *self.fake(quarter=200000))
        rows = self.by_variant()
        self.assertEqual(rows["quarter"]["verdict"], "slower")
        self.assertEqual(rows["quarter"]["baseline"], "plain")

    def test_its_own_skips(self):
        self.ok("--plugin", OWNER, "--plugin", GUEST, "--verify-only", "--preset", "odd")
        row = self.by_variant()["quarter"]
        self.assertEqual((row["status"], row["message"]), ("skipped", "fp32 only"))

    def test_a_guest_may_be_the_baseline(self):
        self.ok("--plugin", OWNER, "--plugin", GUEST, "--quick", "--preset", "large", "--baseline", "quarter",
                *self.fake(quarter=200000))
        self.assertEqual(self.by_variant()["plain"]["verdict"], "faster")

    def test_in_the_bundled_attention_table(self):
        for order in (("attention", plugin("ok_guest")), (plugin("ok_guest"), "attention")):
            out = f"a{len(list(self.dir.iterdir()))}"
            self.ok("--plugin", order[0], "--plugin", order[1], "--verify-only", "-a", "s=64", "-a", "b=1", "-a", "h=2",
                    "-a", "d=64", "-a", "dtype=fp32", "--out", out)
            rows = self.rows(self.dir / out)
            guests = [r for r in rows if r["variant"] == "guest"]
            self.assertTrue(guests)
            for row in guests:
                self.assertEqual((row["plugin"], row["provider"], row["status"]), ("attention", "guest", "ok"), row)


if __name__ == "__main__":
    main()
