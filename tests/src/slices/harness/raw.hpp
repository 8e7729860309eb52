/* What stands for objects and values that a slice has left out. */

/* Memory that no constructor has seen, and no destructor will. */
template <class T> struct raw {
    alignas(T) unsigned char bytes[sizeof(T)];
    raw() { std::memset(bytes, 0xa5, sizeof bytes); }
    T &it() { return *reinterpret_cast<T *>(bytes); }
};

/* A value of any type that is wanted. */
struct anything {
    template <class T> operator T &() const
    {
        static raw<T> value;
        return value.it();
    }
};
